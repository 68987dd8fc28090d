"""The lines of a rollout file, whichever of its layouts they have, each with the turn that it belongs to.

Since September 2025 a line is an envelope ``{timestamp, type, payload}``. Before, the first line was a bare header and
the others bare items of the conversation; the earliest files are one object ``{session, items}`` of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text
from archive_pipeline.readers.json_lines import LINES
from archive_pipeline.readers.left_out_lines import is_left_out

META: Final = "session_meta"
ITEM: Final = "response_item"
EVENT: Final = "event_msg"
TURN: Final = "turn_context"
COMPACTED: Final = "compacted"
AGENTS: Final = "inter_agent_communication"
KINDS: Final = frozenset({META, ITEM, EVENT, TURN, COMPACTED, AGENTS, "world_state", f"{AGENTS}_metadata"})
LEFT_OUT: Final = "left_out"  # a line that is not there, and was an item, an event, or is not known
SESSION: Final = "session"
ITEMS: Final = "items"
_HEADER: Final = frozenset({"id", "timestamp"})
_OF_HEADER: Final = frozenset({*_HEADER, "instructions", "git"})
# What says enough of itself where it is left out.
_TOLD: Final = frozenset({META, TURN, COMPACTED})
_STARTS: Final = frozenset({"task_started", "turn_started"})


@dataclass(slots=True)
class Line:
    """One line.

    Attributes:
        number: from 1, of the lines that are not blank.
        kind: what it is by its envelope, or would be; empty if that is not known.
        payload: what it says.
        whole: the line as it is.
        turn: the id of the turn that it belongs to, None if the file names none.
    """

    number: int
    kind: str
    payload: dict[str, Any]
    whole: Any
    turn: str | None = None

    @property
    def name(self) -> str:
        """The type of the item or event that the line is."""
        return as_text(self.payload.get("type")) or ""

    @property
    def time(self) -> object:
        """The time of the line, as the source writes it."""
        return as_object(self.whole).get("timestamp") or self.payload.get("timestamp")

    def without(self, left: Fields) -> Any:
        """Returns the line with what is left of its payload; None if that is all of it and nothing is left."""
        if self.payload is self.whole:
            return left.rest()
        envelope = Fields(self.whole)
        envelope.take("payload")
        rest = left.rest()
        return envelope.rest() if rest is None else {**(envelope.rest() or {}), "payload": rest}


def read_lines(value: Mapping[str, Any]) -> list[Line]:
    """Returns the lines of a session, those before its first turn as part of that."""
    found = value.get(LINES)
    entries = found if isinstance(found, list) else [value.get(SESSION), *as_list(value.get(ITEMS))]
    lines = [_line(number, entry) for number, entry in enumerate(entries, 1)]
    turn = next(_turns(lines), None)
    for line in lines:
        line.turn = turn = _turn_of(line) or turn
    return lines


def _line(number: int, entry: object) -> Line:
    fields = as_object(entry)
    kind = as_text(fields.get("type"))
    payload = fields.get("payload")
    if is_left_out(fields) and kind not in _TOLD:
        return Line(number, LEFT_OUT, payload if isinstance(payload, dict) else fields, entry)
    if kind in KINDS:
        return Line(number, kind, payload if isinstance(payload, dict) else fields, entry)
    if kind is not None and "payload" not in fields:
        return Line(number, ITEM, fields, entry)
    is_meta = is_header(fields) or (number == 1 and "id" in fields)
    return Line(number, META if is_meta else "", fields, entry)


def is_header(fields: Mapping[str, Any]) -> bool:
    """Tells whether an object is the bare first line of a session."""
    return _HEADER < fields.keys() <= _OF_HEADER


def _turns(lines: list[Line]) -> Iterator[str]:
    return (turn for line in lines if (turn := _turn_of(line)) is not None)


def _turn_of(line: Line) -> str | None:
    """Returns the id of the turn that begins with a line, or is under way."""
    begins = line.kind == TURN or (line.kind == EVENT and line.name in _STARTS)
    return as_identifier(line.payload.get("turn_id")) if begins else None
