"""The messages of one array, with calls and results that name each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.domain.records import MessageRecord, PartType
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.readers.chat_arrays.messages import read_chat_messages
from archive_pipeline.readers.chat_lines.repair import mended
from archive_pipeline.readers.chat_lines.wording import ROLES_OF_DATASETS, reworded
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_text
from archive_pipeline.readers.open_calls import OpenCalls
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

_TIMES: Final = ("timestamp", "created_at", "create_time")


@dataclass(frozen=True, slots=True)
class Names:
    """The fields of a message that say who speaks, and what."""

    role: str
    content: str


OPENAI: Final = Names("role", "content")


class MessageReader:
    """Reads the messages of one way, in their order: results bear the names of tools called before."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._open = OpenCalls()
        # Calls that have no id, of the present turn: a result may be that of several, and says nothing of the others.
        self._unnamed = OpenCalls()
        self._calls = 0
        self._is_answered = False

    def read(self, message: Mapping[str, Any], warnings: Counter[str]) -> list[MessageRecord]:
        """Returns the records of a message: Anthropic's may have results of tools, which are messages of their own."""
        records = read_message(message, self._names, warnings)
        for record in records:
            self._pair(record, warnings)
        return records

    def _pair(self, record: MessageRecord, warnings: Counter[str]) -> None:
        """Gives calls without an id one, and results the id and the name of their call."""
        if self._is_answered and record.role != "tool":
            self._unnamed.clear()
        self._is_answered = record.role == "tool"
        for part in record.parts:
            if part.part_type is PartType.TOOL_USE:
                self._calls += 1
                calls = self._unnamed if part.tool_use_id is None else self._open
                part.tool_use_id = part.tool_use_id or f"call-{self._calls}"
                calls.add(part.tool_use_id, part.tool_name)
            elif part.part_type is PartType.TOOL_RESULT:
                calls = self._unnamed if part.tool_use_id is None else self._open
                call = calls.take(part.tool_use_id, part.tool_name)
                warnings["unpaired_tool_result"] += call is None
                if call is not None:
                    part.tool_use_id, part.tool_name = call[0], part.tool_name or call[1]


def read_message(message: Mapping[str, Any], names: Names, warnings: Counter[str]) -> list[MessageRecord]:
    """Returns the records of a message by itself: its calls and results have the ids and names that it says."""
    fields = dict(message)
    word, content = fields.pop(names.role, None), fields.pop(names.content, None)
    apart = {name: fields.pop(name) for name in (OPENAI.role, OPENAI.content) if name in fields}
    role = read_role(word, ROLES_OF_DATASETS, warnings)
    said = reworded({**fields, "role": role, "content": content}, role, as_text(word))
    records, unread = _records(said, warnings)
    apart |= {names.content if name == OPENAI.content else name: item for name, item in unread.items()}
    if all(word != record.role for record in records):
        apart[names.role] = word
    if rest := {name: item for name, item in apart.items() if not is_empty(item)}:
        records[0].source = {**(records[0].source or {}), **rest}
    time = next((message[name] for name in _TIMES if message.get(name) is not None), None)
    for record in records:
        record.created_at = None if time is None else read_timestamp(time, warnings)
    return records


def _records(said: dict[str, Any], warnings: Counter[str]) -> tuple[list[MessageRecord], dict[str, Any]]:
    """Returns the records of a message, and its fields that cannot be read."""
    try:
        return [item.record for item in read_chat_messages([said])], {}
    except InvalidMessagesError:
        said, unread = mended(said, warnings)
        return [item.record for item in read_chat_messages([said])], unread
