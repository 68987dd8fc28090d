"""One session file of Qwen Code to a dialogue record.

What is said in all lines alike stands once in the dialogue's ``source_json``, where lines that are no message are kept
too. The session of a subagent is a dialogue of its own, named by the session that started it and by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.claude_code.sessions import parent_of, session_id, times_of
from archive_pipeline.readers.claude_code.sources import common_of
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text
from archive_pipeline.readers.json_lines import FILE, LINES, is_unreadable, without_lines
from archive_pipeline.readers.qwen_code.messages import MessageReader
from archive_pipeline.readers.qwen_code.recognition import PAYLOAD
from archive_pipeline.readers.qwen_code.records import Records

SOURCE: Final = "qwen_code"


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session's lines, or why it is none."""
    lines = value.get(LINES)
    if not isinstance(lines, list):
        return without_lines(locator)
    common = common_of(lines)
    records = Records(Counter())
    messages = _messages(lines, records, common)
    is_subagent = _is_subagent(lines)
    own_id = session_id(value.get(FILE), common, is_subagent=is_subagent)
    first, last = times_of(lines, as_text(common.get("sessionId")) if is_subagent else own_id)
    parent = as_identifier(_latest(lines, "parent_session").get("parentSessionId"))
    return DialogueRecord(
        source=SOURCE,
        source_id=own_id,
        locator=locator,
        title=as_text(_latest(lines, "custom_title").get("customTitle")),
        created_at=first,
        updated_at=last,
        messages=messages,
        message_less_nodes=records.nodes,
        active_source_id=records.last,
        project_id=as_text(common.get("cwd")),
        parent_source_id=parent_of(common) if is_subagent else parent,
        warnings=+records.warnings,
        source_json={
            **{name: item for name, item in value.items() if name != LINES},
            "common": common,
            LINES: records.kept,
        },
    )


def _messages(lines: list[Any], records: Records, common: Mapping[str, Any]) -> tuple[MessageRecord, ...]:
    reader = MessageReader(common, records.warnings)
    messages: list[MessageRecord] = []
    for number, line in enumerate(lines, 1):
        if is_unreadable(line):
            records.keep(number, line)
            continue
        entry = records.add(line, as_identifier(line.get("uuid")) or f"line-{number}")
        message = None if entry is None else reader.read(entry)
        if message is not None:
            messages.append(message)
        elif entry is not None:
            records.pass_over(number, entry)
    return tuple(messages)


def _is_subagent(lines: Iterable[Any]) -> bool:
    """Tells whether a file is a subagent's own: all of its lines are aside."""
    sides = [line.get("isSidechain") is True for line in lines if isinstance(line, dict) and "uuid" in line]
    return bool(sides) and all(sides)


def _latest(lines: list[Any], subtype: str) -> dict[str, Any]:
    """Returns what the last line of a kind says of the session."""
    found = (line for line in reversed(lines) if isinstance(line, dict) and line.get("subtype") == subtype)
    return as_object(next(found, {}).get(PAYLOAD))
