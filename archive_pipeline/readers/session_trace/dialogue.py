"""One session trace to a dialogue record.

Messages follow one another. Harnesses whose sessions are trees name a message and the one before it: in its line, as
Pi does, or in the message, as llama.app does, whose first message is an empty root.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartRecord, RejectedRecord, Role
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text
from archive_pipeline.readers.json_lines import LINES, is_unreadable, without_lines
from archive_pipeline.readers.left_out_lines import is_left_out, lacks_message, left_out_part
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.session_entries import Entries, Entry, header_of
from archive_pipeline.readers.session_trace.content import ContentReader, attachments
from archive_pipeline.readers.session_trace.recognition import HEADER, MESSAGE
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "session_trace"
_ROLES: Final[Mapping[str, Role]] = {**OPENAI_ROLES, "toolresult": "tool"}
# Of the line, and where a message says so itself.
_POINTERS: Final[Mapping[str, str]] = {"id": "id", "parentId": "parent"}
_ROOT: Final = "root"


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session's lines, or why it is none."""
    lines = value.get(LINES)
    if not isinstance(lines, list):
        return without_lines(locator)
    warnings: Counter[str] = Counter()
    header = header_of(lines, HEADER)
    entries = Entries(warnings)
    messages = _messages(lines, entries)
    times = [message.created_at for message in messages if message.created_at is not None]
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(header.get("id")),
        locator=locator,
        title=as_text(header.get("name")),
        created_at=read_timestamp(header.get("timestamp"), warnings) or min(times, default=None),
        updated_at=read_timestamp(header.get("lastModified"), warnings) or max(times, default=None),
        messages=messages,
        message_less_nodes=entries.nodes,
        active_source_id=as_identifier(header.get("currNode")) or entries.last,
        project_id=as_text(header.get("cwd")),
        warnings=+warnings,
        source_json={**{name: item for name, item in value.items() if name != LINES}, LINES: entries.kept},
    )


def _messages(lines: list[Any], entries: Entries) -> tuple[MessageRecord, ...]:
    content = ContentReader(entries.warnings)
    messages: list[MessageRecord] = []
    for number, line in enumerate(lines, 1):
        if is_unreadable(line) or line.get("type") == HEADER:
            entries.keep(number, line)
            if not is_unreadable(line):
                entries.go_to(None)
            continue
        pointers = _pointers(line)
        entry = entries.add({**line, **pointers}, as_identifier(pointers.get("id")) or f"line-{number}")
        if entry is None:
            continue
        if _is_message(line):
            messages.append(_message(line, entry, content, entries.warnings))
        else:
            entries.warnings["malformed_message"] += line.get("type") == MESSAGE and not as_object(line.get(MESSAGE))
            entry.line = line
            entries.pass_over(number, entry)
    return tuple(messages)


def _pointers(line: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the id of a line and that of the one before it, as far as the line or its message names them."""
    message = as_object(line.get(MESSAGE))
    found = {name: line.get(name, message.get(inner)) for name, inner in _POINTERS.items()}
    return {name: item for name, item in found.items() if name in line or _POINTERS[name] in message}


def _is_message(line: Mapping[str, Any]) -> bool:
    message = as_object(line.get(MESSAGE))
    is_root = message.get("type") == _ROOT and is_empty(message.get("content"))
    is_read = not is_left_out(line) or (lacks_message(line) and message.get("role") == "user")
    return line.get("type") == MESSAGE and bool(message) and not is_root and is_read


def _message(line: dict[str, Any], entry: Entry, content: ContentReader, warnings: Counter[str]) -> MessageRecord:
    outer, message = Fields(line), Fields(line[MESSAGE])
    role = read_role(line[MESSAGE].get("role"), _ROLES, warnings)
    if is_left_out(line):
        message.take("content")
        parts: tuple[PartRecord, ...] = (left_out_part(),)
    else:
        parts = content.result(message) if role == "tool" else content.said(message)
    if message.fields_left().get("role") == role:
        message.take("role")
    for name, known in (("id", entry.id), ("parent", entry.parent)):
        if known is not None and as_identifier(message.fields_left().get(name)) == known:
            message.take(name)
    moment = line[MESSAGE].get("timestamp", line.get("timestamp"))
    return MessageRecord(
        source_id=entry.id,
        parent_source_id=entry.parent,
        role=role,
        parts=parts,
        attachments=attachments(message),
        created_at=read_timestamp(moment, warnings),
        model=message.take_text("model") if role == "assistant" else None,
        source=entry.rest(outer, message),
    )
