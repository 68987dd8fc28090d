"""``message_paths``: the place of each message in its tree (seed 000), stored as a nested set made of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from archive_pipeline.derive.asset import MESSAGE, DerivedAsset
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.domain.batch import ROOT, DialogueBatch
from archive_pipeline.domain.frames import frame

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "1"


def message_paths(batch: DialogueBatch) -> pd.DataFrame:
    """Return one row per message."""
    forest = forest_of(batch)
    child_count = [len(below) for below in forest.children]
    return frame(
        {
            "message_id": batch.message_ids,
            "dialogue_id": batch.dialogue_of_message,
            "depth": forest.depth,
            "is_root": [parent == ROOT for parent in batch.parent],
            "is_leaf": [not count for count in child_count],
            "child_count": child_count,
            "sibling_index": forest.sibling_index,
            "is_on_primary_path": forest.on_primary_path,
            "is_on_active_path": forest.on_active_path,
            "tree_left": forest.tree_left,
            "tree_right": forest.tree_right,
            "run_left": forest.run_left,
            "run_parent_left": [None if left == ROOT else left for left in forest.run_parent_left],
        }
    )


ASSET: Final = DerivedAsset(
    name="message_paths",
    of=DialogueBatch,
    tables=("message_paths",),
    derive=lambda batch, _: {"message_paths": message_paths(batch)},
    code_version=CODE_VERSION,
    description="Tells whether a message is on the primary path and on the path the source shows.",
    reads=("dialogues", "messages"),
    lineage={
        "message_id": MESSAGE,
        "depth": ("raw/messages.parent_id",),
        "is_on_primary_path": ("raw/messages.parent_id", "raw/messages.created_at"),
        "is_on_active_path": ("raw/dialogues.active_message_id", "raw/messages.parent_id"),
    },
)
