"""What messages of calls say, compared: a message that a call repeats is the one that was there."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.domain.records import JsonText, MessageRecord, PartRecord, PartType
from archive_pipeline.readers.chat_lines.messages import OPENAI, read_message
from archive_pipeline.readers.json.parsing import parse_json

_OF_TOOLS: Final = frozenset({PartType.TOOL_USE, PartType.TOOL_RESULT})
ToolIds = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A message as one call has it.

    Attributes:
        record: of it, without ids.
        key: a hash of who says it and what, without thoughts, which most programs do not give back to the model, and
            without ids of calls of tools.
        tool_ids: these, as far as it names them.
        values: all that it says.
    """

    record: MessageRecord
    key: str
    tool_ids: ToolIds
    values: frozenset[Any]

    def is_like(self, tool_ids: ToolIds) -> bool:
        """Tells whether another message of the same key may be this one: no ids of calls that both name differ."""
        pairs = zip(self.tool_ids, tool_ids, strict=True)
        return all(own == other or own is None or other is None for own, other in pairs)


def said_by(message: Mapping[str, Any], warnings: Counter[str]) -> list[Said]:
    """Returns what a message says: Anthropic's may have results of tools, which are messages of their own."""
    return [_said(record) for record in read_message(message, OPENAI, warnings)]


def _said(record: MessageRecord) -> Said:
    texts = "".join(part.text or "" for part in record.parts if part.part_type is PartType.TEXT).strip()
    parts = [_key_of(part) for part in record.parts if part.part_type not in (PartType.TEXT, PartType.THINKING)]
    files = [file.file_name or file.uri or file.content_sha256 for file in record.attachments]
    ids = tuple(part.tool_use_id for part in record.parts if part.part_type in _OF_TOOLS)
    return Said(record, hashed([record.role, texts, parts, files]), ids, _values_of(record))


def _key_of(part: PartRecord) -> list[Any]:
    if part.part_type is PartType.TOOL_USE:
        return [part.part_type, part.tool_name, _plain(part.tool_input)]
    if part.part_type is PartType.UNKNOWN:
        return [part.part_type, part.source]
    return [part.part_type, (part.text or "").strip(), part.uri, part.content_sha256]


def _plain(value: Any) -> Any:
    """Returns arguments as a value, however they are written."""
    return parse_json(value.text.encode())[0] if isinstance(value, JsonText) else value


def hashed(value: object) -> str:
    """Returns a hash of a value, the same in whichever order its fields stand."""
    encoded = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(encoded.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _values_of(record: MessageRecord) -> frozenset[Any]:
    columns = [
        [
            *(part.text, part.tool_name, part.tool_use_id, part.mime_type, part.uri, part.language, part.is_error),
            *(_plain(part.tool_input), part.source, part.content_sha256),
        ]
        for part in record.parts
    ]
    files = [[file.source_id, file.file_name, file.mime_type, file.uri, file.source] for file in record.attachments]
    return frozenset(scalars([record.author_name, record.model, record.source, columns, files]))


def scalars(*values: Any) -> set[Any]:
    """Returns all texts, numbers and flags in values; of objects the names of fields, too."""
    found: set[Any] = set()
    waiting: list[Any] = [*values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += _items(value)
        elif isinstance(value, list | tuple):
            waiting += value
        elif value is not None and value != "":
            found.add(value)
    return found


def _items(value: Mapping[str, Any]) -> Iterable[Any]:
    yield from value
    yield from value.values()
