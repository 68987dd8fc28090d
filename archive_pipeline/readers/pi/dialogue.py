"""One session of Pi, the lines of a file or of OpenClaw's database, to a dialogue record.

Every entry names the one before it, so that a session is a tree: the user goes back to any place in it. Entries that
are no message stand between messages; who follows them follows the message before.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_text, is_uuid
from archive_pipeline.readers.json_lines import LINES, is_unreadable, without_lines
from archive_pipeline.readers.left_out_lines import is_left_out
from archive_pipeline.readers.pi.database import as_file, shown_name
from archive_pipeline.readers.pi.entries import SessionEntries
from archive_pipeline.readers.pi.messages import MessageReader
from archive_pipeline.readers.pi.recognition import HEADER, SOURCE
from archive_pipeline.readers.session_entries import header_of, times_of
from archive_pipeline.readers.timestamps import read_timestamp


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session's lines, or why it is none."""
    value = as_file(value)
    lines = value.get(LINES)
    if not isinstance(lines, list):
        return without_lines(locator)
    # A session without all of its rows says nothing of messages that it lacks.
    warnings = Counter({"malformed_message": len(as_list(value.get("unreadable_rows")))})
    header = header_of(lines, HEADER)
    session = as_identifier(value.get("conversation_id")) or as_identifier(header.get("id"))
    entries = SessionEntries(warnings, is_path=header.get("parentSession") is not None)
    messages = _messages(lines, session, entries)
    first, last = times_of(lines)
    return DialogueRecord(
        source=SOURCE,
        source_id=session,
        locator=locator,
        title=shown_name(value) or _title(lines) or as_text(header.get("title")),
        created_at=read_timestamp(header.get("timestamp"), warnings) or first,
        updated_at=last,
        messages=messages,
        message_less_nodes=entries.nodes,
        active_source_id=entries.last,
        project_id=as_text(header.get("cwd")),
        warnings=+warnings,
        source_json={**{name: item for name, item in value.items() if name != LINES}, LINES: entries.kept},
    )


def _messages(lines: list[Any], session: str | None, entries: SessionEntries) -> tuple[MessageRecord, ...]:
    reader = MessageReader(entries.warnings)
    messages: list[MessageRecord] = []
    for number, line in enumerate(lines, 1):
        if is_unreadable(line) or line.get("type") == HEADER:
            entries.keep(number, line)
            continue
        entry = entries.add(line, _id(line, number, session))
        read = reader.read_left_out if is_left_out(line) else reader.read
        message = read(entry) if entry is not None else None
        if message is not None:
            messages.append(message)
        elif entry is not None:
            entries.pass_over(number, entry)
    return tuple(messages)


def _id(line: Mapping[str, Any], number: int, session: str | None) -> str:
    """Returns the id of an entry, which others that are copied from it have too.

    Pi's have eight hexadecimal digits: other sessions have the same by chance, but not at the same moment. Files of the
    first version have no ids.
    """
    said, moment = as_identifier(line.get("id")), as_text(line.get("timestamp"))
    if said is not None and is_uuid(said):
        return said
    space = session if said is None else moment or session
    if space is None:
        return said or f"line-{number}"
    return str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([SOURCE, space, said or number])))


def _title(lines: list[Any]) -> str | None:
    """Returns the last name that the session was given."""
    infos = (line for line in reversed(lines) if isinstance(line, dict) and line.get("type") == "session_info")
    return next((name for info in infos if (name := as_text(info.get("name")))), None)
