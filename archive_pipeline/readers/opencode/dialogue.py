"""One session of OpenCode to a dialogue record.

Messages follow one another. What the user takes back is none any more: it is kept beside them until OpenCode deletes it
with the next prompt, and comes back if the user takes that back too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import FULL, DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, unique_messages
from archive_pipeline.readers.opencode.database import as_export
from archive_pipeline.readers.opencode.messages import announced_commands, read_entry, read_message
from archive_pipeline.readers.opencode.recognition import NO_MESSAGES, SOURCE
from archive_pipeline.readers.timestamps import read_timestamp

_UNREADABLE: Final = "unreadable_rows"
_PARTS: Final = "parts"
_TAKEN_BACK: Final = "taken_back"
# Of version 2 alone: what it has taken over from version 1 lacks some of that one's messages, and parts of others.
ENTRIES: Final = "entries"
# What OpenCode calls a session until the model has named it.
_UNTITLED: Final = re.compile(r"(?:New|Child) session - \d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z")


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of an export, or of the rows of a session, or why it is none."""
    if "tables" in value:
        if not isinstance(value["tables"], dict):
            return RejectedRecord(locator, "the session has no 'tables', so no messages", "missing tables")
        value = as_export(value)
    entries = value.get("messages")
    if not isinstance(entries, list):
        return RejectedRecord(locator, "the session has no 'messages'", "missing messages")
    # One without all of its rows says nothing of messages that it lacks.
    warnings = Counter({"malformed_message": len(as_list(value.get(_UNREADABLE)))})
    own = Fields(value)
    own.take("messages")
    info = Fields(own.take("info") if isinstance(value.get("info"), dict) else None)
    about = dict(info.fields_left())
    session = as_identifier(about.get("id"))
    shown, taken_back = _without_taken_back(entries, as_object(about.get("revert")))
    messages, others = _messages(shown, session, warnings)
    own.put_back("messages", others)
    own.put_back(_TAKEN_BACK, taken_back)
    title = None if _UNTITLED.fullmatch(as_text(about.get("title")) or "") else info.take_text("title")
    times = as_object(about.get("time"))
    if rest := info.rest():
        own.fields_left()["info"] = rest
    return DialogueRecord(
        source=SOURCE,
        source_id=session,
        locator=locator,
        title=title,
        created_at=read_timestamp(times.get("created"), warnings),
        updated_at=read_timestamp(times.get("updated"), warnings),
        messages=messages,
        is_emptied=bool(taken_back) and not shown,
        is_linear_source=True,
        vintage=FULL if not messages or any(map(_is_older, entries)) else ENTRIES,
        project_id=as_text(about.get("directory")) or as_text(as_object(about.get("location")).get("directory")),
        parent_source_id=as_identifier(about.get("parentID")),
        warnings=+warnings,
        source_json=own.rest() or {},
    )


def _messages(
    entries: list[Any], session: str | None, warnings: Counter[str]
) -> tuple[tuple[MessageRecord, ...], list[Any]]:
    """Returns the messages, and what is none."""
    read: list[MessageRecord] = []
    of_messages: list[Any] = []
    others: list[Any] = []
    announced = announced_commands(entries)
    for entry in entries:
        record = _message(entry, session, announced, warnings)
        if record is None:
            others.append(entry)
        else:
            read.append(record)
            of_messages.append(entry)
    messages, repeated = unique_messages(read, warnings)
    return messages, [*others, *(of_messages[place] for place in repeated)]


def _message(
    entry: Any, session: str | None, announced: frozenset[str], warnings: Counter[str]
) -> MessageRecord | None:
    if _is_older(entry):
        return read_message(entry, session, announced, warnings)
    kind = as_text(as_object(entry).get("type"))
    if kind is None:
        warnings["malformed_message"] += 1
        return None
    return None if kind in NO_MESSAGES else read_entry(entry, session, warnings)


def _is_older(entry: object) -> bool:
    """Tells a message of version 1 from an entry of version 2."""
    return isinstance(as_object(entry).get("info"), dict)


def _without_taken_back(entries: list[Any], revert: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Returns the entries before the place that the user went back to, and those from there on.

    A place may be a part of a message, of which the beginning is still there.
    """
    back, part = as_identifier(revert.get("messageID")), as_identifier(revert.get("partID"))
    place = next((at for at, entry in enumerate(entries) if back is not None and _id(entry) == back), None)
    if place is None:
        return entries, []
    entry, parts = entries[place], as_list(as_object(entries[place]).get(_PARTS))
    at = next((at for at, item in enumerate(parts) if part is not None and _id(item) == part), None)
    if at is None:
        kept = place + (part is not None)
        return entries[:kept], entries[kept:]
    ending = {"id": back, _PARTS: parts[at:]}
    return [*entries[:place], {**entry, _PARTS: parts[:at]}], [ending, *entries[place + 1 :]]


def _id(entry: object) -> str | None:
    """Returns the id of a message of either version, or of a part."""
    fields = as_object(entry)
    return as_identifier(as_object(fields.get("info", fields)).get("id"))
