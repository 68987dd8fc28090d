"""Transcripts of Cursor's agents, in the editor and on the command line: lines of what was said and called.

Neither results nor ids are in them, and times of prompts alone, so a transcript is another dialogue than its
conversation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartRecord, PartType, RejectedRecord
from archive_pipeline.readers.cursor.database import SOURCE
from archive_pipeline.readers.cursor.marked_texts import read_marked
from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text, is_uuid
from archive_pipeline.readers.json_lines import FILE, LINES, is_unreadable, objects_of, without_lines
from archive_pipeline.readers.left_out_lines import is_left_out
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role

_SUFFIX: Final = "-transcript"
_SUBAGENTS: Final = "subagents"
_ENDED: Final = "turn_ended"
_TEXT: Final = "text"
_TOOL_USE: Final = "tool_use"
_BLOCKS: Final = frozenset({_TEXT, _TOOL_USE})


def is_line(value: Mapping[str, Any]) -> bool:
    """Tells a line with a message: it has a speaker and a message, which is nothing but its blocks."""
    message = as_object(value.get("message"))
    blocks = message.get("content")
    if (
        value.keys() != {"role", "message"}
        or value["role"] not in ("user", "assistant")
        or message.keys() != {"content"}
    ):
        return False
    return (
        isinstance(blocks, list) and bool(blocks) and all(as_text(as_object(b).get("type")) in _BLOCKS for b in blocks)
    )


def recognise_lines(value: Mapping[str, Any]) -> Evidence:
    """Judges a file's lines."""
    objects = objects_of(value) or []
    if not any(map(is_line, objects)):
        return Evidence(0.0, "no lines with a role and a message of blocks")
    has_end = any(line.get("type") == _ENDED for line in objects)
    return Evidence(1.0 if has_end else 0.8, "lines with a role and a message of blocks")


def read_transcript(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a file's lines, or why it is none."""
    lines = value.get(LINES)
    if not isinstance(lines, list):
        return without_lines(locator)
    warnings: Counter[str] = Counter()
    messages: list[MessageRecord] = []
    kept: dict[str, Any] = {}
    for number, line in enumerate(lines, 1):
        message = None if is_unreadable(line) or is_left_out(line) else _message(line, warnings)
        if message is not None:
            messages.append(message)
        elif not is_empty(line):
            warnings["malformed_message"] += is_unreadable(line)
            kept[str(number)] = line
    name = as_text(value.get(FILE))
    source = {key: item for key, item in value.items() if key != LINES}
    times = [message.created_at for message in messages if message.created_at is not None]
    return DialogueRecord(
        source=SOURCE,
        source_id=f"{PurePosixPath(name).stem}{_SUFFIX}" if name else None,
        locator=locator,
        created_at=min(times, default=None),
        updated_at=max(times, default=None),
        messages=tuple(messages),
        is_linear_source=True,
        parent_source_id=_parent(locator),
        warnings=+warnings,
        source_json={**source, **({LINES: kept} if kept else {})},
    )


def _parent(locator: str) -> str | None:
    """Returns the transcript whose folder a subagent's is in."""
    folder = PurePosixPath(locator).parent
    is_subagent = folder.name == _SUBAGENTS and is_uuid(folder.parent.name)
    return f"{folder.parent.name}{_SUFFIX}" if is_subagent else None


def _message(line: dict[str, Any], warnings: Counter[str]) -> MessageRecord | None:
    """Returns the message of a line; None of one that says something else."""
    if not isinstance(line.get("message"), dict) or "role" not in line:
        return None
    fields, message = Fields(line), Fields(line["message"])
    role = read_role(fields.take("role"), OPENAI_ROLES, warnings)
    parts: list[PartRecord] = []
    left: list[Any] = []
    times: list[datetime] = []
    for block in message.take_items("content"):
        found = _parts(block, role, times, warnings)
        parts += found
        if not found and not is_empty(block):
            left.append(block)
    message.put_back("content", left)
    fields.fields_left()["message"] = message.rest()
    if role == "user" and parts and all(part.part_type is PartType.CONTEXT for part in parts):
        role = "system"
    if role == "system":  # an unknown speaker, too
        fields.fields_left()["role"] = line["role"]
    return MessageRecord(
        source_id=None,
        parent_source_id=None,
        role=role,
        parts=tuple(parts),
        created_at=next(iter(times), None),
        is_hidden=role == "system",
        source=fields.rest(),
    )


def _parts(block: Any, role: str, times: list[datetime], warnings: Counter[str]) -> list[PartRecord]:
    """Returns the parts of a block, and adds the time that it has."""
    if isinstance(block, str):
        return [*_texts(block, role, None, times, warnings)]
    fields = Fields(block)
    kind = as_text(fields.take("type")) if as_text(as_object(block).get("type")) else None
    if kind == _TEXT:
        text = fields.take_text(_TEXT)
        return [] if text is None else [*_texts(text, role, fields.rest(), times, warnings)]
    if kind == _TOOL_USE:
        name, call = fields.take_text("name"), fields.take_identifier("id")
        given = fields.take("input")
        return [PartRecord(PartType.TOOL_USE, None, kind, name, call, given, source=fields.rest())]
    if not isinstance(block, dict) or not block:
        return []
    warnings[f"unknown_part:{kind}"] += 1
    return [PartRecord(PartType.UNKNOWN, source_type=kind, source=fields.rest())]


def _texts(text: str, role: str, source: Any, times: list[datetime], warnings: Counter[str]) -> Iterator[PartRecord]:
    """Yields what the user wrote, and before it what stands around it: open files, rules, reminders."""
    if role != "user":
        yield PartRecord(PartType.TEXT, text, _TEXT, source=source)
        return
    marked = read_marked(text, warnings)
    times += [marked.created_at] if marked.created_at is not None else []
    if marked.is_of_system or not marked.asked:
        kind = PartType.CONTEXT if marked.is_of_system else PartType.TEXT
        yield PartRecord(kind, text, _TEXT, source=source)
        return
    if marked.around:
        yield PartRecord(PartType.CONTEXT, marked.around, _TEXT)
    yield PartRecord(PartType.TEXT, marked.asked, _TEXT, source={**(source or {}), _TEXT: text})
