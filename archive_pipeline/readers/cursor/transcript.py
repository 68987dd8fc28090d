"""Transcripts of Cursor's agents, in the editor and on the command line: lines of what was said and called.

Neither results nor times nor ids are in them, so a transcript is another dialogue than its conversation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartRecord, PartType, RejectedRecord
from archive_pipeline.readers.cursor.database import SOURCE
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
# What stands around it is put in: open files, rules, reminders.
_OPENING: Final = "<user_query>"
_CLOSING: Final = "</user_query>"


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
    return DialogueRecord(
        source=SOURCE,
        source_id=f"{PurePosixPath(name).stem}{_SUFFIX}" if name else None,
        locator=locator,
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
    for block in message.take_items("content"):
        found = _parts(block, role, warnings)
        parts += found
        if not found and not is_empty(block):
            left.append(block)
    message.put_back("content", left)
    fields.fields_left()["message"] = message.rest()
    if role == "system":  # an unknown speaker, too
        fields.fields_left()["role"] = line["role"]
    return MessageRecord(
        source_id=None,
        parent_source_id=None,
        role=role,
        parts=tuple(parts),
        is_hidden=role == "system",
        source=fields.rest(),
    )


def _parts(block: Any, role: str, warnings: Counter[str]) -> list[PartRecord]:
    if isinstance(block, str):
        return [*_texts(block, role, None)]
    fields = Fields(block)
    kind = as_text(fields.take("type")) if as_text(as_object(block).get("type")) else None
    if kind == _TEXT:
        text = fields.take_text(_TEXT)
        return [] if text is None else [*_texts(text, role, fields.rest())]
    if kind == _TOOL_USE:
        name, call = fields.take_text("name"), fields.take_identifier("id")
        given = fields.take("input")
        return [PartRecord(PartType.TOOL_USE, None, kind, name, call, given, source=fields.rest())]
    if not isinstance(block, dict) or not block:
        return []
    warnings[f"unknown_part:{kind}"] += 1
    return [PartRecord(PartType.UNKNOWN, source_type=kind, source=fields.rest())]


def _texts(text: str, role: str, source: Any) -> Iterator[PartRecord]:
    """Yields what the user wrote, and before it what stands around it."""
    asked, around = _asked(text) if role == "user" else ("", text)
    if not asked:
        yield PartRecord(PartType.TEXT, text, _TEXT, source=source)
        return
    if around:
        yield PartRecord(PartType.CONTEXT, around, _TEXT)
    yield PartRecord(PartType.TEXT, asked, _TEXT, source={**(source or {}), _TEXT: text})


def _asked(text: str) -> tuple[str, str]:
    """Returns what stands in the tags, and what stands around them."""
    inside: list[str] = []
    around: list[str] = []
    at = 0
    while (opening := text.find(_OPENING, at)) >= 0:
        closing = text.find(_CLOSING, opening)
        if closing < 0:
            break
        around.append(text[at:opening])
        inside.append(text[opening + len(_OPENING) : closing].strip("\n"))
        at = closing + len(_CLOSING)
    return "\n\n".join(filter(None, inside)), "".join([*around, text[at:]]).strip()
