"""The messages of an export in one row, whether it has them so or each in the one that it answers.

A tree is as deep as the conversation is long. What stands deeper than JSON is read comes as text, and is cut into
messages without being read again for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_identifier
from archive_pipeline.readers.json.structure import cut_apart

_BELOW: Final = "children"


@dataclass(slots=True)
class Node:
    """A message as the export has it.

    Attributes:
        fields: its fields, without the messages below it.
        above: the message that it stands in; None if it stands in none.
        unread: how many of the entries below it are no messages; they stay in its fields.
    """

    fields: dict[str, Any]
    above: Node | None
    unread: int = 0

    @property
    def id(self) -> str | None:
        """The message's id."""
        return as_identifier(self.fields.get("messageId"))


def nodes_of(items: list[Any]) -> tuple[list[Node], list[Any]]:
    """Returns the messages of an export in the order of its text, and entries that are none."""
    nodes: list[Node] = []
    below, unread = _messages_among(items)
    waiting = _to_do(below, None)
    while waiting:
        item, above = waiting.pop()
        for node, below in _deep(item, above) if isinstance(item, str) else [_node(item, above)]:
            nodes.append(node)
            waiting += _to_do(below, node)
    return nodes, unread


def unfolded(item: Any) -> Any:
    """Returns the object that a text stands for which is one as JSON; anything else as it is."""
    if not isinstance(item, str) or not item.startswith("{"):
        return item
    try:
        value, _ = parse_json(_bytes(item))
    except ValueError:
        return item
    return value if isinstance(value, dict) else item


def _to_do(items: list[Any], above: Node | None) -> list[tuple[Any, Node | None]]:
    return [(item, above) for item in reversed(items)]


def _messages_among(items: list[Any]) -> tuple[list[Any], list[Any]]:
    """Returns the messages of an array, as objects or as text, and what else it holds."""
    found: list[Any] = []
    others: list[Any] = []
    for item in items:
        (found if isinstance(unfolded(item), dict) else others).append(item)
    return found, [item for item in others if not is_empty(item)]


def _node(item: dict[str, Any], above: Node | None) -> tuple[Node, list[Any]]:
    fields = dict(item)
    if not isinstance(fields.get(_BELOW), list):
        return Node(fields, above), []
    below, unread = _messages_among(fields.pop(_BELOW))
    if unread:
        fields[_BELOW] = unread
    return Node(fields, above, len(unread)), below


def _deep(text: str, above: Node | None) -> Iterator[tuple[Node, list[Any]]]:
    """Yields the message that a text is and all below it."""
    made: list[Node] = []
    for raw, place in cut_apart(_bytes(text), _BELOW):
        value, _ = parse_json(raw)
        node, below = _node(value, above if place is None else made[place])
        made.append(node)
        yield node, below


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
