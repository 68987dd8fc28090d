"""Gemini CLI's sessions, of both kinds: one object with its messages, and lines that are written one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.domain.records import (
    DialogueRecord,
    MessageRecord,
    MessageState,
    PartRecord,
    PartType,
    RejectedRecord,
    Role,
)
from archive_pipeline.readers.gemini_cli.log import SessionLog
from archive_pipeline.readers.gemini_parts import content_parts, tool_call
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import RELINKED_PARENT, as_object, as_text, is_uuid, joined
from archive_pipeline.readers.json_lines import LINES, is_unreadable
from archive_pipeline.readers.left_out_lines import is_left_out, left_out_part
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "gemini_cli"
_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "gemini": "assistant",
    "info": "system",
    "warning": "system",
    "error": "system",
}
_FAILED: Final = frozenset({"error", "cancelled"})


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session."""
    log = SessionLog()
    kept: dict[str, Any] = {}
    if isinstance(value.get(LINES), list):
        lines = value[LINES]
        kept = {name: item for name, item in value.items() if name != LINES}
    elif isinstance(value.get("messages"), list):
        head = {name: item for name, item in value.items() if name != "messages"}
        lines = [{"$set": head}, *value["messages"]]
    else:
        return RejectedRecord(locator, "the session has no 'messages'", "missing messages")
    for number, line in enumerate(lines):
        log.add(number, line)
    warnings = Counter({"malformed_message": sum(map(is_unreadable, lines))})
    warnings[RELINKED_PARENT] += log.relinked
    messages = tuple(_message(key, log, warnings) for key in log.messages)
    source = {**kept, **log.head, **({"earlier": log.earlier} if log.earlier else {})}
    return DialogueRecord(
        source=SOURCE,
        source_id=as_text(log.head.get("sessionId")),
        locator=locator,
        title=as_text(log.head.get("summary")),
        created_at=read_timestamp(log.head.get("startTime"), warnings),
        updated_at=read_timestamp(log.head.get("lastUpdated"), warnings),
        messages=messages,
        active_source_id=_name(log.current[-1]) if log.current else None,
        project_id=as_text(log.head.get("projectHash")),
        parent_source_id=_parent(log.head, locator),
        warnings=+warnings,
        source_json=source,
    )


def _parent(head: Mapping[str, Any], locator: str) -> str | None:
    """Returns the id of the session that started a subagent: the folder of its file, while that is a UUID.

    Other ids have other characters in the names of folders than they have.
    """
    folder = PurePosixPath(locator).parent.name
    return folder if head.get("kind") == "subagent" and is_uuid(folder) else None


def _name(key: str | int | None) -> str | None:
    return None if key is None else key if isinstance(key, str) else f"line-{key}"


def _message(key: str | int, log: SessionLog, warnings: Counter[str]) -> MessageRecord:
    item = log.messages[key]
    fields = Fields(item)
    if isinstance(key, str):
        fields.take("id")
    role = read_role(item.get("type"), _ROLES, warnings)
    if is_left_out(item):
        fields.take("content")
        parts: tuple[PartRecord, ...] = (left_out_part(),)
    else:
        parts = tuple(_parts(fields, role, warnings))
    return MessageRecord(
        source_id=_name(key),
        parent_source_id=_name(log.parents[key]),
        role=role,
        parts=parts,
        created_at=read_timestamp(item.get("timestamp"), warnings),
        model=fields.take_text("model") if role == "assistant" else None,
        state=_state(item),
        source=fields.rest(),
    )


def _state(item: Mapping[str, Any]) -> MessageState:
    return "error" if item.get("type") == "error" else "complete"


def _parts(fields: Fields, role: Role, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Takes what a message says: thoughts, the text, and the calls with their results."""
    yield from _thoughts(fields)
    is_error = fields.fields_left().get("type") == "error"
    for part in content_parts(fields.take("content"), "content", warnings):
        if is_error and part.part_type is PartType.TEXT:
            part.part_type = PartType.ERROR
        yield part
    if role == "assistant":
        yield from _calls(fields, warnings)


def _thoughts(fields: Fields) -> Iterator[PartRecord]:
    unread: list[Any] = []
    for item in fields.take_items("thoughts"):
        thought = Fields(item)
        text = joined([thought.take_text("subject"), thought.take_text("description")])
        if text is not None:
            yield PartRecord(PartType.THINKING, text, "thoughts", source=thought.rest())
        elif not is_empty(item):
            unread.append(item)
    fields.put_back("thoughts", unread)


def _calls(fields: Fields, warnings: Counter[str]) -> Iterator[PartRecord]:
    unread: list[Any] = []
    for item in fields.take_items("toolCalls"):
        if not isinstance(item, dict):
            if not is_empty(item):
                unread.append(item)
            continue
        call = Fields(item)
        given = call.take("result")
        use = tool_call(call, "toolCalls")
        yield use
        status = as_text(as_object(item).get("status"))
        for part in content_parts(given, "result", warnings):
            if part.part_type is PartType.TEXT:
                part.part_type = PartType.TOOL_RESULT
            if part.part_type is PartType.TOOL_RESULT:
                part.tool_name = part.tool_name or use.tool_name
                part.is_error = part.is_error or (status in _FAILED if status is not None else None)
            part.tool_use_id = part.tool_use_id or use.tool_use_id
            yield part
    fields.put_back("toolCalls", unread)
