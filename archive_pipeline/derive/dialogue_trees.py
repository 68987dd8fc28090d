"""``dialogue_trees``: the shape of each dialogue's tree (seed 000)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from archive_pipeline.derive.asset import MESSAGE, DerivedAsset
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.frames import frame

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "1"


def dialogue_trees(batch: DialogueBatch) -> pd.DataFrame:
    """Return one row per dialogue, also for dialogues without messages."""
    forest, roles = forest_of(batch), batch.role
    count = len(batch.dialogue_ids)
    nodes, deepest, branches, leaves = [0] * count, [0] * count, [0] * count, [0] * count
    regenerated, edited = [False] * count, [False] * count
    for position, index in enumerate(batch.dialogue):
        nodes[index] += 1
        deepest[index] = max(deepest[index], forest.depth[position])
        below = forest.children[position]
        if not below:
            leaves[index] += 1
        elif len(below) > 1:
            branches[index] += 1
            kind = forest.group_class(roles, below)
            regenerated[index] |= kind == "regeneration"
            edited[index] |= kind == "edit"
    leaf = forest.primary_leaf
    root_count = [len(roots) for roots in forest.roots]
    return frame(
        {
            "dialogue_id": batch.dialogue_ids,
            "total_nodes": nodes,
            "max_depth": deepest,
            "root_count": root_count,
            "branch_count": branches,
            "leaf_count": leaves,
            "primary_leaf_id": [None if position < 0 else batch.message_ids[position] for position in leaf],
            "primary_path_length": [None if position < 0 else forest.depth[position] + 1 for position in leaf],
            "has_regenerations": regenerated,
            "has_edits": edited,
            "is_linear": [leaves[index] <= 1 and root_count[index] <= 1 for index in range(count)],
        }
    )


ASSET: Final = DerivedAsset(
    name="dialogue_trees",
    of=DialogueBatch,
    tables=("dialogue_trees",),
    upstream=("message_paths",),
    derive=lambda batch, _: {"dialogue_trees": dialogue_trees(batch)},
    code_version=CODE_VERSION,
    description="Counts branches and leaves, and says whether prompts were edited or responses regenerated.",
    reads=("messages",),
    lineage={
        "total_nodes": MESSAGE,
        "max_depth": ("message_paths.depth",),
        "leaf_count": ("message_paths.is_leaf",),
        "primary_leaf_id": ("message_paths.is_on_primary_path",),
    },
)
