"""Parents of messages: from the source's pointers to a forest (decisions on import).

The forest is built from parent pointers alone. Nodes without a message are skipped through, a missing parent makes a
flagged root, and a cycle is broken at its latest message.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from archive_pipeline.domain.records import MessageRecord

ParentFlag = Literal["missing_parent", "cycle"]
_NEW: Final = 0
_ON_WAY: Final = 1
_DONE: Final = 2
NOTHING_KNOWN: Final[Mapping[str, str | None]] = {}


@dataclass(slots=True)
class Link:
    """The parent of a message, by its source id; None for a root. ``flag`` says why it is not what the source says."""

    parent: str | None
    flag: ParentFlag | None = None


def link_messages(
    messages: Sequence[MessageRecord],
    source_ids: Sequence[str],
    message_less: Mapping[str, str | None],
    *,
    is_linear: bool = False,
    known: Mapping[str, str | None] = NOTHING_KNOWN,
) -> list[Link]:
    """Return the parent of each message.

    Args:
        messages: in source order.
        source_ids: their ids (those of the messages, or made up where the source has none).
        message_less: nodes without a message: id -> parent id.
        is_linear: the source has no pointers; each message follows the one before it.
        known: live messages that are already stored, to which a partial export may point: id -> parent id. A linear
            partial export goes on below the stored parent of its first message.
    """
    if is_linear:
        before = [known.get(source_ids[0]), *source_ids[:-1]] if source_ids else []
        links = [Link(parent) for parent in before]
    else:
        present = {*source_ids, *known}
        resolved: dict[str, Link] = {}
        links = [
            Link(pointer)
            if (pointer := message.parent_source_id) is None or pointer in present
            else resolve(pointer, present, message_less, resolved)
            for message in messages
        ]
        if not known and _come_after_parents(source_ids, links):
            return links
    return break_cycles(messages, source_ids, links, known)


def _come_after_parents(source_ids: Sequence[str], links: Sequence[Link]) -> bool:
    """Tell whether each message stands behind its parent, as nearly everywhere: then there is no cycle."""
    before: set[str | None] = {None}
    for source_id, link in zip(source_ids, links, strict=True):
        if link.parent not in before:
            return False
        before.add(source_id)
    return True


def resolve(
    pointer: str | None, present: Collection[str], message_less: Mapping[str, str | None], resolved: dict[str, Link]
) -> Link:
    """Return where a pointer leads past nodes without a message; ``resolved`` keeps it for each node on the way."""
    passed: dict[str, None] = {}
    while pointer is not None and pointer in message_less and pointer not in present and pointer not in resolved:
        if pointer in passed:
            break
        passed[pointer] = None
        pointer = message_less[pointer]
    link = _end_of_way(pointer, present, passed, resolved)
    resolved.update(dict.fromkeys(passed, link))
    return link


def _end_of_way(
    pointer: str | None, present: Collection[str], passed: Collection[str], resolved: Mapping[str, Link]
) -> Link:
    if pointer is None or pointer in present:
        return Link(pointer)
    if pointer in passed:
        return Link(None, "cycle")
    return resolved.get(pointer) or Link(None, "missing_parent")


def break_cycles(
    messages: Sequence[MessageRecord],
    source_ids: Sequence[str],
    links: list[Link],
    known: Mapping[str, str | None],
) -> list[Link]:
    """Return the links with each cycle broken at its latest message; arguments as of ``link_messages``."""
    position = {source_id: index for index, source_id in enumerate(source_ids)}
    above = _own_ancestors(position, known)
    state = [_NEW] * len(messages)
    for start in range(len(messages)):
        path: list[int] = []
        current: int | None = start
        while current is not None and state[current] == _NEW:
            state[current] = _ON_WAY
            path.append(current)
            parent = links[current].parent
            current = position.get(above.get(parent or "", parent) or "")
        if current is not None and state[current] == _ON_WAY:
            cycle = path[path.index(current) :]
            latest = max(cycle, key=lambda index: (_time(messages[index]), index))
            links[latest] = Link(None, "cycle")
        for index in path:
            state[index] = _DONE
    return links


def _own_ancestors(own: Collection[str], known: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return, for each stored message that this import does not bring, the nearest message above it that it brings."""
    found: dict[str, str | None] = {}
    for start in known:
        trail: list[str] = []
        current: str | None = start
        while current is not None and current not in own and current not in found:
            found[current] = None
            trail.append(current)
            current = known.get(current)
        nearest = current if current is None or current in own else found[current]
        found.update(dict.fromkeys(trail, nearest))
    return found


def _time(message: MessageRecord) -> float:
    return message.created_at.timestamp() if message.created_at else float("-inf")
