"""What only the events of a session say: they repeat its items for the screen, and are read where a turn has no item.

Of what says the same, one kind is read in each turn: items, else messages of events, else completed items of events,
else what the end of the turn repeats. So nothing is read twice, whatever a version writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from archive_pipeline.readers.codex.content import MESSAGE, REASONING, texts_of
from archive_pipeline.readers.codex.context import is_context
from archive_pipeline.readers.codex.lines import EVENT, ITEM, Line
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text

_ITEM_COMPLETED: Final = "item_completed"
_ENDS: Final = frozenset({"task_complete", "turn_complete"})
_FIRST, _SECOND, _THIRD, _LAST = range(4)


class Said(NamedTuple):
    """What a line says of the conversation.

    Attributes:
        what: whose words these are: the user's, the model's, its thoughts.
        rank: what says the same with a lower rank is read instead.
        item: the line as an item; what the line itself says where it is one.
    """

    what: str
    rank: int
    item: dict[str, Any]


def items_of(lines: Iterable[Line]) -> dict[int, dict[str, Any]]:
    """Returns the events that are to be read as items, by the numbers of their lines."""
    best: dict[tuple[str | None, str], int] = {}
    events: list[tuple[Line, Said]] = []
    for line in lines:
        said = _said(line)
        if said is None:
            continue
        key = (line.turn, said.what)
        best[key] = min(best.get(key, said.rank), said.rank)
        if said.rank > _FIRST:
            events.append((line, said))
    return {line.number: said.item for line, said in events if best[line.turn, said.what] == said.rank}


def asked_turns(lines: Iterable[Line]) -> set[str | None]:
    """Returns the turns of which the user's words are known."""
    said = ((line.turn, _said(line)) for line in lines)
    return {turn for turn, found in said if found is not None and found.what == "user"}


def _said(line: Line) -> Said | None:
    if line.kind == ITEM:
        return _said_by_item(line)
    if line.kind != EVENT:
        return None
    if line.name == _ITEM_COMPLETED:
        return _said_by_completed(as_object(line.payload.get("item")))
    if line.name in _ENDS:
        return _spoken(line.payload.get("last_agent_message"), _LAST)
    return _said_by_event(line)


def _said_by_item(line: Line) -> Said | None:
    if line.name == REASONING:
        thoughts = [*texts_of(line.payload.get("summary")), *texts_of(line.payload.get("content"))]
        return Said(REASONING, _FIRST, line.payload) if thoughts else None
    if line.name != MESSAGE:
        return None
    role = as_text(line.payload.get("role")) or ""
    content = line.payload.get("content")
    is_own = role.lower() != "user" or not all(map(is_context, texts_of(content))) or _has_more(content)
    return Said(role.lower(), _FIRST, line.payload) if is_own else None


def _has_more(content: object) -> bool:
    """Tells whether a content has anything but texts."""
    return any(as_text(as_object(item).get("text")) is None for item in as_list(content) if not isinstance(item, str))


def _said_by_event(line: Line) -> Said | None:
    if line.name == "user_message":
        pictures = [*as_list(line.payload.get("images")), *as_list(line.payload.get("local_images"))]
        return _asked(line.payload.get("message"), pictures, _SECOND)
    if line.name == "agent_message":
        return _spoken(line.payload.get("message"), _SECOND)
    if line.name in ("agent_reasoning", "agent_reasoning_raw_content"):
        return _thought([line.payload.get("text")], _SECOND)
    return None


def _said_by_completed(item: dict[str, Any]) -> Said | None:
    name = (as_text(item.get("type")) or "").lower()
    content = item.get("content")
    if name == "usermessage":
        pictures = [as_object(part).get("image_url") or as_object(part).get("path") for part in as_list(content)]
        return _asked("\n".join(texts_of(content)), pictures, _THIRD)
    if name == "agentmessage":
        return _spoken("".join(texts_of(content)), _THIRD)
    if name == REASONING:
        return _thought([*texts_of(item.get("summary_text")), *texts_of(item.get("raw_content"))], _THIRD)
    return None


def _asked(text: object, pictures: Iterable[object], rank: int) -> Said | None:
    shown = [{"type": "input_image", "image_url": picture} for picture in pictures if as_text(picture)]
    said = [{"type": "input_text", "text": text}] if as_text(text) else []
    return _message("user", [*said, *shown], rank)


def _spoken(text: object, rank: int) -> Said | None:
    return _message("assistant", [{"type": "output_text", "text": text}] if as_text(text) else [], rank)


def _message(role: str, content: list[dict[str, Any]], rank: int) -> Said | None:
    return Said(role, rank, {"type": MESSAGE, "role": role, "content": content}) if content else None


def _thought(texts: list[Any], rank: int) -> Said | None:
    summary = [{"type": "summary_text", "text": text} for text in texts if as_text(text)]
    return Said(REASONING, rank, {"type": REASONING, "summary": summary}) if summary else None
