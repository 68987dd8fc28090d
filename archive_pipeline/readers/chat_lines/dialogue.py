"""One object with arrays of messages to a dialogue record.

Such lines rarely have ids, and those that they have are those of a list or of a prompt. So a message's id is made of
what it says and of all before it, and the dialogue's of its id and beginning, or of all that the line says.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain import identity
from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartType, RejectedRecord
from archive_pipeline.readers.chat_lines.arrays import ChatArrays, Message, Way, chat_arrays
from archive_pipeline.readers.chat_lines.media import attach
from archive_pipeline.readers.chat_lines.messages import MessageReader, Names
from archive_pipeline.readers.json.shapes import as_identifier, as_text
from archive_pipeline.readers.timestamps import read_timestamp

_SYSTEM: Final = "system"
_OF_LINE: Final = "id"  # or of a prompt, of which there may be several answers
_IDS: Final = (
    *(_OF_LINE, "conversation_id", "conversation_hash", "chat_id", "dialogue_id", "dialog_id", "thread_id"),
    *("session_id", "uuid"),
)
# What a line lacks may be in another one, of another model.
LINE: Final = "line"
# What tells conversations with one id apart: several were held about one task.
_TRIALS: Final = ("task_id", "trial", "sample", "seed", "run_id")
_CREATED: Final = ("created_at", "create_time", "created")
_UPDATED: Final = ("updated_at", "update_time", "timestamp")


def read_chat(value: Mapping[str, Any], locator: str, source: str, names: Names) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of an object, or why it is none."""
    arrays = chat_arrays(value)
    if arrays is None:
        return RejectedRecord(locator, "the conversation has no array of messages", "missing messages")
    return read_arrays(value, arrays, locator, source, names)


def read_arrays(
    value: Mapping[str, Any], arrays: ChatArrays, locator: str, source: str, names: Names
) -> DialogueRecord:
    """Returns the dialogue of an object with the messages that were found in it."""
    warnings: Counter[str] = Counter(malformed_message=arrays.unread)
    tree = _Tree(value, arrays, names, warnings)
    leaves = [tree.add(way) for way in arrays.ways]
    return DialogueRecord(
        source=source,
        source_id=_source_id(value, tree.messages),
        locator=locator,
        title=as_text(value.get("title")),
        created_at=_time(value, _CREATED, warnings),
        updated_at=_time(value, _UPDATED, warnings),
        messages=tuple(tree.messages.values()),
        active_source_id=leaves[-1] if len(leaves) > 1 else None,
        vintage=LINE,
        warnings=+warnings,
        source_json=tree.source_json(),
    )


class _Tree:
    """The messages of all ways, those that several begin with once."""

    def __init__(self, value: Mapping[str, Any], arrays: ChatArrays, names: Names, warnings: Counter[str]) -> None:
        self.messages: dict[str, MessageRecord] = {}
        self._beside = arrays.beside
        self._repeated: dict[str, list[Any]] = {}
        self._value = value
        self._names = names
        self._warnings = warnings
        self._system = as_text(self._beside.get(_SYSTEM))
        if self._system is not None:
            del self._beside[_SYSTEM]

    def source_json(self) -> dict[str, Any]:
        """Returns what is beside the messages, and in place of arrays what their messages do not hold."""
        for name, repeated in self._repeated.items():
            unread = self._beside.get(name)
            self._beside[name] = [
                *(unread if isinstance(unread, list) else [] if unread is None else [unread]),
                *repeated,
            ]
        return self._beside

    def add(self, way: Way) -> str | None:
        """Adds the messages of a way; returns the id of its last one."""
        reader = MessageReader(self._names)
        system = {self._names.role: _SYSTEM, self._names.content: self._system}
        said = [*([] if self._system is None else [(_SYSTEM, system)]), *way.messages]
        given = [_Given(name, message, reader) for name, message in said]
        attach((record for item in given for record in item.records), self._value)
        model = as_text(self._value.get("model"))
        parent: str | None = None
        for item in given:
            known = []
            for record in item.records:
                record.parent_source_id, parent = parent, _message_id(parent, record)
                record.source_id = parent
                record.model = record.model or (model if record.role == "assistant" else None)
                known.append(self.messages.setdefault(parent, record))
            if known[0] is item.records[0]:
                self._warnings.update(item.warnings)
            elif known != item.records:  # what it has beside what it says
                self._repeated.setdefault(item.name, []).append(item.message)
        return parent


class _Given:
    """A message of an array, and the records of it."""

    def __init__(self, name: str, message: Message, reader: MessageReader) -> None:
        self.name = name
        self.message = message
        self.warnings: Counter[str] = Counter()
        self.records = reader.read(message, self.warnings)


def _message_id(parent: str | None, message: MessageRecord) -> str:
    """Returns an id for a message: no UUID, by which dialogues would be linked that begin with one system prompt."""
    parts = [
        [
            *(part.part_type, part.text, part.tool_name, part.tool_use_id, part.tool_input, part.is_error),
            *(part.uri, part.content_sha256, part.source if part.part_type is PartType.UNKNOWN else None),
        ]
        for part in message.parts
    ]
    files = [file.file_name or file.uri or file.content_sha256 for file in message.attachments]
    return _hash([parent, message.role, message.author_name, parts, files])


def _source_id(value: Mapping[str, Any], messages: Mapping[str, MessageRecord]) -> str:
    field, named = next(((name, found) for name in _IDS if (found := as_identifier(value.get(name)))), ("", None))
    if named is None:
        return f"{identity.MADE}{_hash(value)}"
    first = next((name for name, message in messages.items() if message.role == "user"), next(iter(messages), None))
    said = list(messages) if field == _OF_LINE else first
    trial = [value.get(name) for name in _TRIALS]
    return f"{named}-{_hash([said, trial])[:12]}"


def _hash(value: object) -> str:
    encoded = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(encoded.encode()).hexdigest()[:24]


def _time(value: Mapping[str, Any], names: tuple[str, ...], warnings: Counter[str]) -> Any:
    said = next((value[name] for name in names if value.get(name) is not None), None)
    return None if said is None else read_timestamp(said, warnings)
