"""One session of Crush to a dialogue record. Messages follow one another: Crush has no branches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.crush.database import MESSAGES, messages_of, row_of
from archive_pipeline.readers.crush.messages import MessageReader
from archive_pipeline.readers.crush.recognition import SOURCE
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_text, is_uuid, unique_messages
from archive_pipeline.readers.timestamps import read_timestamp

_TABLES: Final = "tables"
_UNREADABLE: Final = "unreadable_rows"
_UUID_CHARACTERS: Final = 36
_FOR_TITLE: Final = "title-"
# What Crush calls a session until the model has named it.
_UNTITLED: Final = frozenset({"New Session", "Untitled Session", "New Agent Session", "Generate a title"})


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session's rows, or why it is none."""
    tables = value.get(_TABLES)
    if not isinstance(tables, dict) or not isinstance(tables.get(MESSAGES, []), list):
        return RejectedRecord(locator, "the session has no 'messages'", "missing messages")
    # One without all of its rows says nothing of messages that it lacks.
    warnings = Counter({"malformed_message": len(as_list(value.get(_UNREADABLE)))})
    name = as_identifier(value.get("conversation_id"))
    about = row_of(tables, name)
    reader = MessageReader(name, as_identifier(about.get("summary_message_id")), warnings)
    messages, others = _messages(messages_of(tables), reader, warnings)
    left = {**tables, MESSAGES: others}
    return DialogueRecord(
        source=SOURCE,
        source_id=_id(name, about),
        locator=locator,
        title=_title(about),
        created_at=read_timestamp(about.get("created_at"), warnings),
        updated_at=_updated_at(about, messages, warnings),
        messages=messages,
        is_linear_source=True,
        project_id=reader.folder,
        parent_source_id=_parent(name, about),
        warnings=+warnings,
        source_json={**value, _TABLES: {table: item for table, item in left.items() if not is_empty(item)}},
    )


def _messages(
    rows: list[Any], reader: MessageReader, warnings: Counter[str]
) -> tuple[tuple[MessageRecord, ...], list[Any]]:
    """Returns the messages, and rows that are none."""
    of_messages = [row for row in rows if isinstance(row, dict) and row]
    others = [row for row in rows if not isinstance(row, dict) and not is_empty(row)]
    warnings["malformed_message"] += len(others)
    messages, repeated = unique_messages(map(reader.read, of_messages), warnings)
    return messages, [*others, *(of_messages[place] for place in repeated)]


def _id(name: str | None, about: Mapping[str, Any]) -> str | None:
    """Returns the id of a session.

    Early versions name the session of a subagent by the call that started it, which other databases may have too.
    """
    parent = as_identifier(about.get("parent_session_id"))
    if name is None or parent is None or parent in name or is_uuid(name[:_UUID_CHARACTERS]):
        return name
    return f"{parent}-{name}"


def _parent(name: str | None, about: Mapping[str, Any]) -> str | None:
    """Returns the session that started a subagent's; the sessions in which titles were made are none."""
    return None if (name or "").startswith(_FOR_TITLE) else as_identifier(about.get("parent_session_id"))


def _updated_at(
    about: Mapping[str, Any], messages: tuple[MessageRecord, ...], warnings: Counter[str]
) -> datetime | None:
    times = [read_timestamp(about.get("updated_at"), warnings)]
    times += [moment for item in messages for moment in (item.created_at, item.updated_at)]
    return max((moment for moment in times if moment is not None), default=None)


def _title(about: Mapping[str, Any]) -> str | None:
    title = as_text(about.get("title"))
    return None if title in _UNTITLED else title
