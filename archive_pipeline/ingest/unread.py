"""Messages that stand for lines which were not read, where another layer has what they stand for.

Such a message says nothing, so it never takes the place of one that was read before. Most have its id; ids that are
made of what a message says are others, and what a layer lacks there is told by its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from archive_pipeline.ingest.linking import Link
from archive_pipeline.ingest.prepare import PreparedMessage
from archive_pipeline.readers.left_out_lines import is_unread

ById = Mapping[str, PreparedMessage]


def without_unread(layers: Sequence[ById]) -> list[ById]:
    """Return the messages of layers without those that stand for one of another layer.

    What follows them stays where it is.

    Args:
        layers: of each its messages by their source ids.
    """
    if not any(is_unread(said.record) for layer in layers for said in layer.values()):
        return [*layers]
    read = {name for layer in layers for name, said in layer.items() if not is_unread(said.record)}
    return [_without(layer, read, [other for other in layers if other is not layer]) for layer in layers]


def _without(layer: ById, read: set[str], others: Sequence[ById]) -> ById:
    """Return a layer without what others have; children of one with another id go to the message that it follows."""
    unread = {name: said for name, said in layer.items() if is_unread(said.record)}
    same = {name for name in unread if name in read}
    free = _prompts_by_parent(layer, others)
    moved: dict[str, str | None] = {}
    for name, said in unread.items():
        parent = _end(said.link.parent, moved)
        if name not in same and free[parent]:
            free[parent] -= 1
            moved[name] = parent
    return {
        name: replace(said, link=Link(_end(said.link.parent, moved))) if said.link.parent in moved else said
        for name, said in layer.items()
        if name not in same and name not in moved
    }


def _prompts_by_parent(layer: ById, others: Iterable[ById]) -> Counter[str | None]:
    """Return how many prompts there are in other layers alone, by the message that they follow."""
    found = {
        name: said.link.parent
        for other in others
        for name, said in other.items()
        if said.record.role == "user" and name not in layer and not is_unread(said.record)
    }
    return Counter(found.values())


def _end(parent: str | None, moved: Mapping[str, str | None]) -> str | None:
    return parent if parent is None else moved.get(parent, parent)
