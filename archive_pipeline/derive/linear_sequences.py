"""``linear_sequences``: every root-to-leaf path and why it exists beside the primary one (seed 000)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from archive_pipeline.derive.asset import MESSAGE, DerivedAsset
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.domain.batch import ROOT, DialogueBatch
from archive_pipeline.domain.frames import frame
from archive_pipeline.domain.identity import row_id

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "1"


def linear_sequences(batch: DialogueBatch) -> pd.DataFrame:
    """Return one row per leaf; exactly one per dialogue with messages is primary."""
    forest, ids = forest_of(batch), batch.message_ids
    shared = batch.computed(last_shared_with_primary)
    leaves = [position for position, below in enumerate(forest.children) if not below]
    primary = [forest.on_primary_path[leaf] for leaf in leaves]
    branched_at = [ROOT if is_primary else shared[leaf] for leaf, is_primary in zip(leaves, primary, strict=True)]
    reasons = {point: branch_reason(batch, point) for point in set(branched_at)}  # thousands may branch at one message
    return frame(
        {
            "id": [row_id("sequence", ids[leaf]) for leaf in leaves],
            "dialogue_id": [batch.dialogue_of_message[leaf] for leaf in leaves],
            "leaf_message_id": [ids[leaf] for leaf in leaves],
            "sequence_length": [forest.depth[leaf] + 1 for leaf in leaves],
            "is_primary": primary,
            "branch_reason": [
                "primary" if is_primary else reasons[point]
                for is_primary, point in zip(primary, branched_at, strict=True)
            ],
            "branched_at_depth": [None if point == ROOT else forest.depth[point] for point in branched_at],
            "branched_at_message_id": [None if point == ROOT else ids[point] for point in branched_at],
        }
    )


def last_shared_with_primary(batch: DialogueBatch) -> list[int]:
    """Return per message the last one on the way to it that is on the primary path; -1 if none is."""
    forest, shared = forest_of(batch), [ROOT] * len(batch)
    for position in forest.order:
        if forest.on_primary_path[position]:
            shared[position] = position
        elif batch.parent[position] != ROOT:
            shared[position] = shared[batch.parent[position]]
    return shared


def branch_reason(batch: DialogueBatch, branched_at: int) -> str:
    """Return why a path leaves the primary one at a message (-1: at no message): regeneration, edit or fork."""
    return forest_of(batch).class_below(batch.role, branched_at)


ASSET: Final = DerivedAsset(
    name="linear_sequences",
    of=DialogueBatch,
    tables=("linear_sequences",),
    upstream=("message_paths",),
    derive=lambda batch, _: {"linear_sequences": linear_sequences(batch)},
    code_version=CODE_VERSION,
    description="The primary one is what a reader sees; the others say where and why they branch off.",
    reads=("messages",),
    lineage={
        "leaf_message_id": MESSAGE,
        "sequence_length": ("message_paths.depth",),
        "is_primary": ("message_paths.is_on_primary_path",),
    },
)
