"""``dialogue_pages``: a dialogue as a document whose pages are its exchanges, for search and citations (seed 002)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from archive_pipeline.derive.asset import DerivedAsset
from archive_pipeline.derive.exchange_runs import exchange_runs_of
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.frames import frame

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "1"


def dialogue_pages(batch: DialogueBatch) -> pd.DataFrame:
    """Return the pages of all dialogues, in order."""
    runs, order, primary = exchange_runs_of(batch), page_order(batch), _on_primary_path(batch)
    dialogues = [batch.dialogue_of_message[runs.last[index]] for index in order]
    return frame(
        {
            "dialogue_id": dialogues,
            "page": _numbered(dialogues),
            "exchange_id": [runs.ids[index] for index in order],
            "is_on_primary_path": [index in primary for index in order],
        }
    )


def page_order(batch: DialogueBatch) -> list[int]:
    """Return the exchanges by dialogue: the primary path's as one reads them, then the others by their last message.

    Pages of the primary path are numbered as its exchanges are, whatever branches there are beside it.
    """
    runs, primary, depth = exchange_runs_of(batch), _on_primary_path(batch), forest_of(batch).depth

    def place(index: int) -> tuple[int, bool, int]:
        last = runs.last[index]
        return batch.dialogue[last], index not in primary, depth[last] if index in primary else last

    return sorted(range(len(runs.last)), key=place)


def _on_primary_path(batch: DialogueBatch) -> set[int]:
    """Return the exchanges of primary paths: one may end on such a path and be of another one only."""
    runs, leaves = exchange_runs_of(batch), set(forest_of(batch).primary_leaf)
    found: set[int] = set()
    for at in (index for index, last in enumerate(runs.last) if last in leaves):
        exchange = at
        while exchange >= 0:
            found.add(exchange)
            exchange = runs.previous[exchange]
    return found


def page_of_messages(batch: DialogueBatch) -> list[int]:
    """Return per message the first page it is on: exchanges of different branches share messages."""
    runs, order = exchange_runs_of(batch), page_order(batch)
    pages = [0] * len(batch)
    numbers = _numbered([batch.dialogue[runs.last[index]] for index in order])
    for index, number in zip(order, numbers, strict=True):
        member, first = runs.last[index], runs.first[index]
        # Above a message that an earlier page has, that page has all of the exchange: where it starts is the same.
        while not pages[member]:
            pages[member] = number
            if member != first:
                member = batch.parent[member]
    return pages


def _numbered(groups: list[str] | list[int]) -> list[int]:
    """Number the members of each run of equal values from 1."""
    numbers: list[int] = []
    for at, group in enumerate(groups):
        numbers.append(numbers[-1] + 1 if at and groups[at - 1] == group else 1)
    return numbers


ASSET: Final = DerivedAsset(
    name="dialogue_pages",
    of=DialogueBatch,
    tables=("dialogue_pages",),
    upstream=("exchanges",),
    derive=lambda batch, _: {"dialogue_pages": dialogue_pages(batch)},
    code_version=CODE_VERSION,
    description="Search results and citations name a dialogue and a page.",
    reads=("messages",),
    lineage={"exchange_id": ("exchanges.id",), "page": ("message_paths.is_on_primary_path", "message_paths.depth")},
)
