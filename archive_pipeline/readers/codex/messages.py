"""The messages of a session: which items are one, what each follows, and how its turn ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from archive_pipeline.domain.records import LEFT_OUT_LINE, MessageRecord, PartRecord, PartType, Role
from archive_pipeline.readers.codex.content import AGENT_MESSAGE, BOOKKEEPING, MESSAGE, ContentReader
from archive_pipeline.readers.codex.events import asked_turns, items_of
from archive_pipeline.readers.codex.ids import Ids
from archive_pipeline.readers.codex.lines import AGENTS, COMPACTED, EVENT, ITEM, LEFT_OUT, TURN, Line
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_object, as_text
from archive_pipeline.readers.left_out_lines import lacks_message, left_out_part
from archive_pipeline.readers.timestamps import read_timestamp

_ABORTED: Final = "turn_aborted"
_ROLLED_BACK: Final = "thread_rolled_back"


@dataclass(slots=True)
class _Item:
    """An item of the conversation with what it says."""

    line: Line
    item: dict[str, Any]
    role: Role
    model: str | None
    parts: list[PartRecord]
    rest: Any


@dataclass(slots=True)
class _Open:
    """The items of a message that may go on."""

    items: list[_Item] = field(default_factory=list)

    def takes(self, item: _Item) -> bool:
        """Tells whether an item belongs to the same message: only the model says one in several items."""
        if not self.items:
            return True
        last = self.items[-1]
        return item.role == last.role == "assistant" and item.line.turn == last.line.turn


class Messages:
    """Reads the messages of a session.

    Attributes:
        records: the messages, in the order of the file.
        taken: the numbers of the lines that they are made of.
        tip: the id of the message that the session has come to.
    """

    def __init__(self, lines: list[Line], session: str | None, warnings: Counter[str]) -> None:
        self.records: list[MessageRecord] = []
        self.taken: set[int] = set()
        self.tip: str | None = None
        self._warnings = warnings
        self._content = ContentReader(warnings)
        self._ids = Ids(session)
        self._open = _Open()
        self._model: str | None = None
        # Where each of the user's messages was added, to go back to; and where the present texts of Codex began.
        self._before_user: list[str | None] = []
        self._before_context: str | None = None
        self._in_turn: tuple[str | None, MessageRecord] | None = None
        events = items_of(lines)
        self._asked = asked_turns(lines)
        for line in lines:
            self._line(line, events)
        self._close()

    def _line(self, line: Line, events: dict[int, dict[str, Any]]) -> None:
        item = _item_of(line, events)
        if item is not None:
            self._add(line, item)
        elif line.kind == TURN:
            self._model = as_text(line.payload.get("model")) or self._model
        elif line.kind == COMPACTED:
            self._close()
        elif line.kind == LEFT_OUT:
            self._left_out(line)
        elif line.kind == EVENT and line.name == _ABORTED:
            self._abort(line)
        elif line.kind == EVENT and line.name == _ROLLED_BACK:
            self._go_back(line.payload.get("num_turns"))

    def _left_out(self, line: Line) -> None:
        """Ends messages where a line is left out that does, and puts a prompt in the place of one that nothing says."""
        if self._is_between(line):
            self._close()
        is_prompt = line.name == MESSAGE and line.payload.get("role") == "user" and lacks_message(line.whole)
        if is_prompt and (line.turn is None or line.turn not in self._asked):
            item = {"type": MESSAGE, "role": "user", LEFT_OUT_LINE: line.whole[LEFT_OUT_LINE]}
            self._open.items.append(_Item(line, item, "user", None, [left_out_part()], line.whole))
            self._close()

    def _is_between(self, line: Line) -> bool:
        """Tells whether messages end where a line is left out: they do unless it is an event or the model's."""
        if as_object(line.whole).get("type") == EVENT:
            return False
        return not line.name or self._content.role(line.name, Fields(line.payload)) != "assistant"

    def _add(self, line: Line, item: dict[str, Any]) -> None:
        fields = Fields(item)
        name = as_text(item.get("type")) or ""
        role = self._content.role(name, fields)
        parts = self._content.parts(name, role, fields)
        rest = line.without(fields) if item is line.payload else line.whole
        if role == "user" and parts and all(part.part_type is PartType.CONTEXT for part in parts):
            role = "system"
        read = _Item(line, item, role, self._model, parts, rest)
        if not self._open.takes(read):
            self._close()
        self._open.items.append(read)

    def _close(self) -> None:
        """Makes a message of the open items, if they say anything."""
        items, self._open = self._open.items, _Open()
        parts = tuple(part for item in items for part in item.parts)
        if not parts:
            return
        record = self._record(items, parts)
        self._place(record)
        self.records.append(record)
        self.taken.update(item.line.number for item in items)
        if record.role == "assistant":
            self._in_turn = items[0].line.turn, record

    def _record(self, items: list[_Item], parts: tuple[PartRecord, ...]) -> MessageRecord:
        first = items[0]
        is_from_agent = first.item.get("type") == AGENT_MESSAGE
        kept = {str(item.line.number): item.rest for item in items if item.rest is not None}
        return MessageRecord(
            source_id=self._ids.make(first.line.turn, first.item),
            parent_source_id=self.tip,
            role=first.role,
            parts=parts,
            created_at=read_timestamp(first.line.time, self._warnings),
            model=first.model if first.role == "assistant" else None,
            author_name=as_text(first.item.get("author")) if is_from_agent else None,
            recipient=as_text(first.item.get("recipient")) if is_from_agent else None,
            is_hidden=first.role == "system",
            source={"lines": kept} if kept else None,
        )

    def _place(self, record: MessageRecord) -> None:
        """Takes note of where a message stands, for when the user takes it back."""
        if record.role == "user":
            self._before_user.append(self._before_context if self._before_user else self.tip)
        self.tip = record.source_id
        if record.role != "system":
            self._before_context = self.tip

    def _go_back(self, turns: object) -> None:
        """Takes back the last of the user's messages and what followed; what stands before the first stays."""
        self._close()
        if not isinstance(turns, int) or turns < 1 or not self._before_user:
            return
        place = max(0, len(self._before_user) - turns)
        self.tip = self._before_context = self._before_user[place]
        del self._before_user[place:]

    def _abort(self, line: Line) -> None:
        self._close()
        if self._in_turn is not None and self._in_turn[0] == line.turn:
            self._in_turn[1].state = "aborted"


def _item_of(line: Line, events: dict[int, dict[str, Any]]) -> dict[str, Any] | None:
    """Returns the item that a line is or is read as; None of one that says nothing of the conversation."""
    if line.kind == AGENTS:
        return {**line.payload, "type": AGENT_MESSAGE}
    if line.kind == ITEM:
        return None if line.name in BOOKKEEPING else line.payload
    return events.get(line.number)
