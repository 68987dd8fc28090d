"""One rollout file of Codex to a dialogue record.

What the model says and does between two outputs of tools is one message. Messages follow each other, but where the user
went back (``thread_rolled_back``): what comes then follows what was there before the turns that were taken back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.codex.context import folder_in
from archive_pipeline.readers.codex.lines import EVENT, ITEMS, META, SESSION, TURN, Line, read_lines
from archive_pipeline.readers.codex.messages import Messages
from archive_pipeline.readers.json.fields import texts_in
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text
from archive_pipeline.readers.json_lines import LINES, is_unreadable
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "codex"


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session's lines, or why it is none."""
    if not isinstance(value.get(LINES), list) and not isinstance(value.get(ITEMS), list):
        return RejectedRecord(locator, "the session has no lines, so no messages", "missing lines")
    warnings: Counter[str] = Counter()
    lines = read_lines(value)
    warnings["malformed_message"] += sum(is_unreadable(line.whole) for line in lines)
    meta = next((line for line in lines if line.kind == META), None)
    about = meta.payload if meta is not None else {}
    session = as_identifier(about.get("id")) or as_identifier(about.get("session_id"))
    messages = Messages(lines, session, warnings)
    kept = {str(line.number): line.whole for line in lines if line.number not in messages.taken}
    source = {key: item for key, item in value.items() if key not in (LINES, SESSION, ITEMS)}
    return DialogueRecord(
        source=SOURCE,
        source_id=session,
        locator=locator,
        title=_title(lines, session),
        created_at=read_timestamp(about.get("timestamp") or (lines[0].time if lines else None), warnings),
        updated_at=read_timestamp(next((line.time for line in reversed(lines) if line.time), None), warnings),
        messages=tuple(messages.records),
        active_source_id=messages.tip,
        project_id=as_text(about.get("cwd")) or _folder(lines),
        parent_source_id=_parent(about),
        warnings=+warnings,
        source_json={**source, "lines": kept},
    )


def _parent(about: Mapping[str, Any]) -> str | None:
    """Returns the id of the session that started a sub-agent; a fork of the user's names what it repeats elsewhere."""
    spawned = as_object(as_object(as_object(about.get("source")).get("subagent")).get("thread_spawn"))
    return as_identifier(about.get("parent_thread_id")) or as_identifier(spawned.get("parent_thread_id"))


def _title(lines: list[Line], session: str | None) -> str | None:
    """Returns the last name that the user gave the session."""
    named = [
        as_text(line.payload.get("thread_name"))
        for line in lines
        if line.kind == EVENT
        and line.name == "thread_name_updated"
        and line.payload.get("thread_id") in (None, session)
    ]
    return named[-1] if named else None


def _folder(lines: list[Line]) -> str | None:
    """Returns the working folder of a session whose first line does not name it: the first that is named at all."""
    for line in lines:
        folder = as_text(line.payload.get("cwd")) if line.kind == TURN else None
        if folder is None and as_text(line.payload.get("role")) == "user":
            found = (folder_in(text) for text in texts_in(as_object(line.payload).get("content")))
            folder = next(filter(None, found), None)
        if folder is not None:
            return folder
    return None
