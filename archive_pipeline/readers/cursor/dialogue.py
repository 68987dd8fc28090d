"""One conversation of Cursor to a dialogue record.

Cursor removes rows of conversations that are still there, and cuts off what an edited prompt leaves behind. So what a
database lacks is no deletion: each counts as a partial export.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import FULL, DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.domain.vintages import partial_of
from archive_pipeline.readers.cursor.database import BUBBLE, HEADERS, SOURCE
from archive_pipeline.readers.cursor.messages import Bubbles
from archive_pipeline.readers.cursor.rows import Conversation, former_calls, put_together
from archive_pipeline.readers.cursor.transcript import read_transcript, recognise_lines
from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, unique_messages
from archive_pipeline.readers.json_lines import LINES
from archive_pipeline.readers.timestamps import read_timestamp

_UNREADABLE: Final = "unreadable_rows"
_IDS: Final = ("composerId", "tabId", "id")
_TITLES: Final = ("name", "chatTitle", "title")
_TYPES: Final = (1, 2)
_UPDATED: Final = ("lastUpdatedAt", "lastSendTime")


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by the database that it was read from, or by the lines of its file."""
    if LINES in value:
        return recognise_lines(value)
    if value.get("database") != SOURCE:
        return Evidence(0.0, "no row of its database")
    is_own = isinstance(value.get("tables"), dict)
    return Evidence(1.0, "rows of its database") if is_own else Evidence(0.0, "no tables")


def read_conversation(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of the rows of a conversation, or of the lines of a transcript, or why it is none."""
    if LINES in value:
        return read_transcript(value, locator)
    if not isinstance(value.get("tables"), dict):
        return RejectedRecord(locator, "the conversation has no 'tables', so no messages", "missing tables")
    found = put_together(value["tables"])
    if not found.messages:
        return RejectedRecord(locator, _why_silent(found), "missing messages")
    warnings = Counter({"malformed_message": found.missing + len(as_list(value.get(_UNREADABLE)))})
    about = Fields(found.about)
    name = next((name for field in _IDS if (name := as_identifier(found.about.get(field)))), None)
    messages, others = _messages(found, warnings)
    about.put_back("messages_apart", [*found.apart, *others])
    _drop_plain_headers(about, messages)
    beside = {key: item for key, item in value.items() if key != "tables"}
    updated = [moment for field in _UPDATED if (moment := read_timestamp(found.about.get(field), warnings))]
    times = [each.created_at for each in messages if each.created_at is not None]
    created = read_timestamp(found.about.get("createdAt"), warnings)
    return DialogueRecord(
        source=SOURCE,
        source_id=name or as_identifier(value.get("conversation_id")),
        locator=locator,
        title=next((title for field in _TITLES if (title := about.take_text(field))), None),
        created_at=created or min(times, default=None),
        updated_at=max([*updated, *times], default=created),
        messages=messages,
        is_linear_source=True,
        vintage=partial_of(FULL),
        project_id=_folder(found.about) or _folder(found.head),
        parent_source_id=_parent(found.about) or _parent(found.head),
        warnings=+warnings,
        source_json=_kept(beside | ({"tables": found.left} if found.left else {}), about.rest() or {}),
    )


def _kept(beside: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    """Returns what is kept of a conversation; in a field of its own where both have a name."""
    return {**beside, **about} if beside.keys().isdisjoint(about) else {**beside, "conversation": about}


def _why_silent(found: Conversation) -> str:
    if found.missing:
        return f"the conversation names {found.missing:,} messages, none of which is in the database any more"
    return "the conversation has no messages"


def _messages(found: Conversation, warnings: Counter[str]) -> tuple[tuple[MessageRecord, ...], list[Any]]:
    """Returns the messages, and what says nothing or repeats an id."""
    bubbles = Bubbles(found.headers, former_calls(found.about), warnings)
    read: list[MessageRecord] = []
    of_messages: list[Any] = []
    others: list[Any] = []
    for item in found.messages:
        record = bubbles.read(item)
        if record is not None:
            read.append(record)
            of_messages.append(item)
        elif not is_empty(item):
            others.append(item)
    messages, repeated = unique_messages(read, warnings)
    return messages, [*others, *(of_messages[place] for place in repeated)]


def _drop_plain_headers(about: Fields, messages: tuple[MessageRecord, ...]) -> None:
    """Drops what the list of messages says of those that are there, if that is no more than their ids and speakers."""
    there = {each.source_id for each in messages}
    items = about.fields_left().get(HEADERS)
    if isinstance(items, list):
        about.fields_left()[HEADERS] = [item for item in items if not _is_plain(item, there)]


def _is_plain(item: object, there: set[str | None]) -> bool:
    if not isinstance(item, dict) or not item.keys() <= {BUBBLE, "type"}:
        return False
    return as_identifier(item.get(BUBBLE)) in there and item.get("type", 1) in _TYPES


def _folder(about: Mapping[str, Any]) -> str | None:
    """Returns the folder that the editor had open."""
    place = as_object(as_object(about.get("workspaceIdentifier")).get("uri"))
    return as_text(place.get("fsPath")) or as_text(place.get("path"))


def _parent(about: Mapping[str, Any]) -> str | None:
    """Returns the conversation that started a subagent's."""
    return as_identifier(as_object(about.get("subagentInfo")).get("parentComposerId"))
