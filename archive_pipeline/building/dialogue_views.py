"""What people are shown of dialogues beside their rows: counts, and the tree as a drawing.

Made by the executor that builds, where the batches of the dialogues are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.executors.executor import Executor
from archive_pipeline.building.tasks import named
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.derive.tree_drawing import draw_tree
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import DialogueRef

# A larger dialogue has counts and no drawing.
MOST_MESSAGES: Final = 20_000
COUNTS: Final = ("messages", "prompts", "responses", "leaves", "branches")
_VERSION: Final = "1"


@dataclass(frozen=True, slots=True)
class DialogueView:
    """What is shown of a dialogue.

    Attributes:
        dialogue_id: the dialogue.
        counts: a number for each of ``COUNTS``.
        drawing: its tree; None if it is too large for one.
    """

    dialogue_id: str
    counts: tuple[int, ...]
    drawing: str | None


@dataclass(frozen=True, slots=True)
class ViewTask:
    """The views of some dialogues, to be made (`Task`).

    Attributes:
        items: references to the dialogues.
        max_lines: most lines of a drawing.
    """

    items: tuple[DialogueRef, ...]
    max_lines: int

    asset = "dialogue_views"
    version = own_version = _VERSION
    is_of_shared_batch = True

    @property
    def size(self) -> int:
        """How many messages the dialogues have."""
        return sum(map(DIALOGUES.size, self.items))

    @property
    def label(self) -> str:
        """The dialogues."""
        return named(self.asset, [*map(DIALOGUES.label, self.items)], DIALOGUES.noun)

    def load(self, database: Database) -> DialogueBatch:
        """Read the dialogues."""
        return load_batch(database, [dialogue.id for dialogue in self.items])

    def computed(self, database: Database, load: Callable[[], DialogueBatch]) -> Callable[[], list[DialogueView]]:
        """Make the views; nothing is written."""
        del database
        made = list(_views(load(), self.max_lines))
        return lambda: made


def make_views(
    database: Database, dialogues: Sequence[DialogueRef], *, cache: BatchCache, executor: Executor, max_lines: int
) -> Iterator[DialogueView]:
    """Yield the views of dialogues, in any order; dialogues that were built together are found again.

    Args:
        database: the archive.
        dialogues: of which views are made.
        cache: of the run that built them: it has measured their texts.
        executor: of the same run.
        max_lines: most lines of a drawing.
    """
    tasks = [ViewTask(tuple(chunk), max_lines) for chunk in cache.chunks(database, dialogues)]
    with closing(executor.map_batches(tasks)) as results:
        for _, views in results:
            yield from views


def _views(batch: DialogueBatch, max_lines: int) -> Iterator[DialogueView]:
    for dialogue, dialogue_id in enumerate(batch.dialogue_ids):
        is_drawn = len(batch.positions(dialogue)) <= MOST_MESSAGES
        drawing = draw_tree(batch, dialogue, max_lines=max_lines) if is_drawn else None
        yield DialogueView(dialogue_id, _counts(batch, dialogue), drawing)


def _counts(batch: DialogueBatch, dialogue: int) -> tuple[int, ...]:
    positions = batch.positions(dialogue)
    roles = batch.role[positions.start : positions.stop]
    children = [*map(len, forest_of(batch).children[positions.start : positions.stop])]
    leaves = children.count(0)
    branches = len(children) - leaves - children.count(1)
    return len(positions), roles.count("user"), roles.count("assistant"), leaves, branches
