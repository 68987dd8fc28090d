"""The lines of a session that are messages: what is said in them, by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, MessageRecord, PartRecord, PartType, Role
from archive_pipeline.readers.claude_code.sources import take_equal
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_text
from archive_pipeline.readers.left_out_lines import is_left_out, lacks_message, left_out_part
from archive_pipeline.readers.qwen_code.content import parts_of, results_of, said_by_user
from archive_pipeline.readers.qwen_code.events import EVENTS, told_by_event
from archive_pipeline.readers.qwen_code.recognition import PAYLOAD, SYSTEM
from archive_pipeline.readers.session_entries import Entry
from archive_pipeline.readers.timestamps import read_timestamp

_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "tool_result": "tool",
    SYSTEM: "system",
}
# What the program says in the user's name; later versions say so in ``provenance`` too.
_PUT_IN: Final = frozenset({"agent_message", "cron", "goal_runtime", "notification"})
_OF_MESSAGES: Final = _PUT_IN | {
    *("agent_mention", "code_mode_tool_result", "mid_turn_user_message", "realtime_message"),
}
_USERS: Final = "real_user"
_MESSAGE: Final = "message"
_PARTS: Final = "parts"
_Parts = tuple[PartRecord, ...]


class MessageReader:
    """Reads the lines of one session.

    Args:
        common: what the lines say alike.
        warnings: where anomalies are counted.
    """

    def __init__(self, common: Mapping[str, Any], warnings: Counter[str]) -> None:
        self._common = common
        self._warnings = warnings

    def read(self, entry: Entry) -> MessageRecord | None:
        """Returns the message that an entry is; None if nothing is said in it."""
        line, message, payload = (
            Fields(item) for item in (entry.line, entry.line.get(_MESSAGE), entry.line.get(PAYLOAD))
        )
        role = _ROLES.get(as_text(entry.line.get("type")) or "")
        if is_left_out(entry.line):
            is_lost = role == "user" and lacks_message(entry.line) and not _is_put_in(entry.line)
            parts: _Parts = (left_out_part(),) if is_lost else ()
        else:
            self._count_unknown(entry.line, role)
            parts = self._parts(entry, role, message, payload)
        if role is None or not parts:
            return None
        files = _files(payload) if role == "user" else ()
        shown: Role = "system" if role == "user" and _is_context(parts) else role
        model = line.take_text("model") if role == "assistant" else None
        created_at = read_timestamp(entry.line.get("timestamp"), self._warnings)
        self._take_known(entry, line, message, payload, shown)
        return MessageRecord(
            source_id=entry.id,
            parent_source_id=entry.parent,
            role=shown,
            parts=parts,
            attachments=files,
            created_at=created_at,
            model=model,
            is_hidden=shown == "system",
            source=entry.rest(line, message),
        )

    def _parts(self, entry: Entry, role: Role | None, message: Fields, payload: Fields) -> _Parts:
        if role == "system":
            return tuple(told_by_event(as_text(entry.line.get("subtype")), payload, self._warnings))
        if role is None:
            return ()
        if not isinstance(entry.line.get(_MESSAGE), dict):
            self._warnings["malformed_message"] += role != "assistant"  # one of them may have nothing but its usage
            return ()
        given = message.take(_PARTS)
        if role == "tool":
            return tuple(results_of(given, Fields(entry.line.get("toolCallResult")), self._warnings))
        parts = parts_of(given, self._warnings)
        if role == "user":
            return tuple(_as_context(parts) if _is_put_in(entry.line) else said_by_user(parts, payload))
        return tuple(parts)

    def _count_unknown(self, line: Mapping[str, Any], role: Role | None) -> None:
        subtype = as_text(line.get("subtype"))
        if role is None:
            self._warnings[f"unknown_line:{as_text(line.get('type')) or 'none'}"] += 1
        elif subtype is not None and subtype not in (EVENTS if role == "system" else _OF_MESSAGES):
            self._warnings[f"unknown_line:{subtype}"] += 1

    def _take_known(self, entry: Entry, line: Fields, message: Fields, payload: Fields, role: Role) -> None:
        """Takes what columns and the dialogue say."""
        take_equal(line, self._common)
        take_equal(line, {"type": role})
        take_equal(message, {"role": role})
        if isinstance(entry.line.get(PAYLOAD), dict):
            line.fields_left()[PAYLOAD] = payload.rest()


def _is_put_in(line: Mapping[str, Any]) -> bool:
    """Tells whether a line in the user's name is the program's, or another agent's."""
    if line.get("externalInputKind") == "notification" or as_text(line.get("subtype")) in _PUT_IN:
        return True
    return line.get("provenance") not in (None, _USERS)


def _is_context(parts: Iterable[PartRecord]) -> bool:
    return all(part.part_type is PartType.CONTEXT for part in parts)


def _as_context(parts: list[PartRecord]) -> list[PartRecord]:
    for part in parts:
        if part.part_type is PartType.TEXT:
            part.part_type = PartType.CONTEXT
    return parts


def _files(payload: Fields) -> tuple[AttachmentRecord, ...]:
    """Takes the files that a prompt came with, which are stored elsewhere."""
    items = [*payload.take_objects("attachmentReferences"), *payload.take_objects("resourceLinks")]
    return tuple(map(_file, map(Fields, items)))


def _file(item: Fields) -> AttachmentRecord:
    return AttachmentRecord(
        source_id=item.take_identifier("attachmentId"),
        file_name=item.take_text("name"),
        mime_type=item.take_text("mimeType"),
        size_bytes=item.take_size("size"),
        uri=item.take_text("uri"),
        source=item.rest(),
    )
