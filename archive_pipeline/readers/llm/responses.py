"""The layout before 0.32: a row for each prompt and its answer, in the order in which the model was asked.

What a row gives is, in this order: a system message where the system prompt changes, the results of the tools that the
answer before had called, the prompt, the answer. So it stood in what the model was sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from archive_pipeline.domain.records import MessageRecord, PartRecord, PartType, Role
from archive_pipeline.readers.chat_arrays.calls import call_arguments
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_identifier, as_text
from archive_pipeline.readers.llm.attachments import attachments_of
from archive_pipeline.readers.llm.fragments import MISSING_FRAGMENT, fragment_said, fragment_text
from archive_pipeline.readers.llm.rows import Row, Tables, ordered
from archive_pipeline.readers.open_calls import OpenCalls
from archive_pipeline.readers.timestamps import read_timestamp

_TIME: Final = "datetime_utc"
_OF_FIRST_VERSIONS: Final = "logs"
_TABLES: Final = ("responses", _OF_FIRST_VERSIONS)


def read_responses(tables: Tables, warnings: Counter[str]) -> list[MessageRecord]:
    """Returns the messages of all rows, each the child of the one before it."""
    return _Chain(tables, warnings).read()


@dataclass(slots=True)
class _Asked:
    """A row, and when the model was asked."""

    row: Row
    id: str
    table: str
    time: datetime | None


@dataclass(slots=True)
class _Chain:
    tables: Tables
    warnings: Counter[str]
    messages: list[MessageRecord] = field(default_factory=list)
    calls: OpenCalls = field(default_factory=OpenCalls)
    system: str | None = None

    def read(self) -> list[MessageRecord]:
        for asked in self._in_order():
            self._add(asked)
        return self.messages

    def _in_order(self) -> Sequence[_Asked]:
        """Returns the rows by time: ids of one millisecond are in no order. Without all times, by id, as llm does."""
        rows = [asked for table in _TABLES for asked in self._rows(table)]
        has_times = all(asked.time is not None for asked in rows)
        return sorted(rows, key=lambda asked: (_moment(asked.time) if has_times else 0, _place(asked.id), asked.id))

    def _rows(self, table: str) -> Iterator[_Asked]:
        for name, row in self.tables.unique(table, "id", self.warnings):
            made = f"{table}-{name}" if table == _OF_FIRST_VERSIONS else name
            yield _Asked(row, made, table, read_timestamp(row.get(_TIME), self.warnings))

    def _add(self, asked: _Asked) -> None:
        fields = Fields(asked.row)
        prompt = self._prompt(asked, fields)
        answer = self._answer(asked, fields)
        self._add_system(asked, fields)
        self._add_results(asked)
        if prompt is not None:
            self._append(prompt)
        answer.source = {asked.table: [fields.rest() or {}]}
        self._append(answer)
        for part in answer.parts:
            if part.part_type is PartType.TOOL_USE:
                self.calls.add(part.tool_use_id or "", part.tool_name)

    def _append(self, message: MessageRecord) -> None:
        message.parent_source_id = self.messages[-1].source_id if self.messages else None
        self.messages.append(message)

    def _add_system(self, asked: _Asked, fields: Fields) -> None:
        links = self._links("system_fragments", asked)
        own = as_text(asked.row.get("system"))
        texts = [text.strip() for text in (*self._fragments(links), own) if text]
        text = "\n\n".join(text for text in texts if text) or None
        if text is not None and text != self.system:
            self.system = text
            self._append(self._message(asked, "system", "system", [PartRecord(PartType.TEXT, text, "system")]))
        if own is not None and own in (text or ""):
            fields.take("system")
        self._leave_out(links, text)
        if links:
            fields.put_back("system_fragments", [dict(link) for link in links])

    def _prompt(self, asked: _Asked, fields: Fields) -> MessageRecord | None:
        links = self._links("prompt_fragments", asked)
        attached = self.tables.take("prompt_attachments", "response_id", asked.row.get("id"))
        own = fields.take_text("prompt")
        texts = [text for text in (*self._fragments(links), own) if text]
        if not texts and not attached and not links:
            return None
        text = "\n".join(texts)
        self._leave_out(links, text)
        parts = [PartRecord(PartType.TEXT, text, "prompt")] if text else []
        message = self._message(asked, "prompt", "user", parts)
        message.attachments = attachments_of(attached, self.tables)
        if links:
            message.source = {"prompt_fragments": [dict(link) for link in links]}
        return message

    def _links(self, table: str, asked: _Asked) -> Sequence[Row]:
        return ordered(self.tables.take(table, "response_id", asked.row.get("id")))

    def _fragments(self, links: Sequence[Row]) -> Iterator[str]:
        for link in links:
            text = fragment_text(self.tables, link.get("fragment_id"))
            self.warnings[MISSING_FRAGMENT] += text is None
            if text is not None:
                yield text

    def _leave_out(self, links: Sequence[Row], text: str | None) -> None:
        """Leaves texts of fragments out of the tables that a message has whole."""
        for link in links:
            fragment_said(self.tables, link.get("fragment_id"), text or "")

    def _answer(self, asked: _Asked, fields: Fields) -> MessageRecord:
        parts: list[PartRecord] = []
        if (reasoning := fields.take_text("reasoning")) is not None:
            parts.append(PartRecord(PartType.THINKING, reasoning, "reasoning"))
        if (text := fields.take_text("response")) is not None:
            parts.append(PartRecord(PartType.TEXT, text, "response"))
        parts += map(_call, self.tables.take("tool_calls", "response_id", asked.row.get("id")))
        message = self._message(asked, None, "assistant", parts)
        message.model = as_text(asked.row.get("model"))
        return message

    def _add_results(self, asked: _Asked) -> None:
        rows = self.tables.take("tool_results", "response_id", asked.row.get("id"))
        if not rows:
            return
        message = self._message(asked, "results", "tool", list(map(self._result, rows)))
        message.attachments = tuple(
            record
            for row in rows
            for record in attachments_of(
                self.tables.take("tool_results_attachments", "tool_result_id", row.get("id")), self.tables
            )
        )
        self._append(message)

    def _result(self, row: Row) -> PartRecord:
        fields = Fields(row)
        output = fields.take_text("output")
        failure = as_text(row.get("exception"))
        tool = fields.take_text("name")
        call_id = fields.take_identifier("tool_call_id")
        call = self.calls.take(call_id, tool)
        self.warnings["unpaired_tool_result"] += call is None
        return PartRecord(
            PartType.TOOL_RESULT,
            output or failure,
            "tool_result",
            tool_name=tool or (call[1] if call else None),
            tool_use_id=call_id or (call[0] if call else None),
            is_error=True if failure is not None else None,
            source=fields.rest(),
        )

    def _message(self, asked: _Asked, what: str | None, role: Role, parts: list[PartRecord]) -> MessageRecord:
        name = asked.id if what is None else f"{asked.id}-{what}"
        return MessageRecord(name, None, role, tuple(parts), created_at=asked.time)


def _call(row: Row) -> PartRecord:
    fields = Fields(row)
    given, text = call_arguments(fields.take("arguments"))
    name = fields.take_identifier("tool_call_id")
    return PartRecord(
        PartType.TOOL_USE,
        text,
        "tool_call",
        tool_name=fields.take_text("name"),
        tool_use_id=name or f"tool-call-{as_identifier(row.get('id')) or ''}",
        tool_input=given,
        source=fields.rest(),
    )


def _moment(time: datetime | None) -> float:
    return time.timestamp() if time is not None else 0.0


def _place(name: str) -> int:
    """Returns the place of an id among those of the first versions, which count from 1; 0 of all others."""
    digits = name.removeprefix(f"{_OF_FIRST_VERSIONS}-")
    return int(digits) if digits != name and digits.isascii() and digits.isdigit() and len(digits) < 20 else 0
