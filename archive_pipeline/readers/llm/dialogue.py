"""One dialogue of a conversation's rows, whichever layout has them.

An upgraded database may have a conversation in both: ``llm -c`` writes the messages of older responses anew when it
goes on. What is the same in both is one message, with the id of the older layout, so that an import of the database
before the upgrade and one of it after are of the same messages.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartRecord, PartType, RejectedRecord
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_text, unique_messages
from archive_pipeline.readers.llm.message_store import StoredMessages, read_messages
from archive_pipeline.readers.llm.recognition import SOURCE
from archive_pipeline.readers.llm.responses import read_responses
from archive_pipeline.readers.llm.rows import Tables
from archive_pipeline.readers.timestamps import read_timestamp

_HASH: Final = re.compile(r"[a-z0-9]+:([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})")
_UUID: Final = re.compile(r"(.{8})(.{4})(.{4})(.{4})(.{12}).*")
_UNREADABLE: Final = "unreadable_rows"


def read_conversation(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a conversation object, or why it is none."""
    if not isinstance(value.get("tables"), dict):
        return RejectedRecord(locator, "the conversation has no 'tables', so no messages", "missing tables")
    warnings: Counter[str] = Counter()
    tables = Tables(value)
    name = as_identifier(value.get("conversation_id"))
    # One without all of its rows says nothing of messages that it lacks.
    warnings["malformed_message"] += len(as_list(value.get(_UNREADABLE)))
    responses = read_responses(tables, warnings)
    stored = read_messages(tables, name, warnings)
    names = _same(stored, responses)
    added = _added(stored, names, name)
    read = [*responses, *added]
    messages, repeated = unique_messages(read, warnings)
    times = [message.created_at for message in messages if message.created_at is not None]
    created, title = _of_thread(tables, name, warnings)
    left = tables.rest()
    source = {key: item for key, item in value.items() if key != "tables"}
    if repeated:
        source["repeated_messages"] = [_as_kept(read[place]) for place in repeated]
    return DialogueRecord(
        source=SOURCE,
        source_id=name,
        locator=locator,
        title=title,
        created_at=min([*times, created]) if created is not None else min(times, default=None),
        updated_at=max(times, default=None),
        messages=messages,
        active_source_id=_active(stored, names, responses),
        warnings=+warnings,
        source_json={**source, "tables": left} if left else source,
    )


def _as_kept(message: MessageRecord) -> dict[str, Any]:
    """Returns a message whose id another one has, as JSON."""
    kept = asdict(message)
    return {name: item for name, item in kept.items() if name not in ("created_at", "updated_at")}


def _of_thread(tables: Tables, name: str | None, warnings: Counter[str]) -> tuple[datetime | None, str | None]:
    """Returns when the thread began, None if there is none, and what the conversation is called."""
    thread = tables.first("threads", "id", name) or {}
    conversation = tables.first("conversations", "id", name) or {}
    title = as_text(thread.get("name")) or as_text(conversation.get("name"))
    return read_timestamp(thread.get("datetime_utc"), warnings), title


def _active(stored: StoredMessages, names: Mapping[str, str], responses: Sequence[MessageRecord]) -> str | None:
    if stored.tip is not None and stored.tip in names:
        return names[stored.tip]
    return responses[-1].source_id if responses and not stored.records else None


def _same(stored: StoredMessages, responses: Sequence[MessageRecord]) -> dict[str, str]:
    """Returns the ids of the stored messages that responses have too, and adds to those what is stored of them.

    The path of stored messages is followed as long as it says what the responses say, one after the other.
    """
    said = _SaidInOrder(responses)
    places: dict[str, int] = {}
    taken: set[int] = set()
    kept: dict[int, list[Any]] = {}
    for name, record in stored.records.items() if responses else ():
        above = record.parent_source_id
        if above is not None and above in stored.records and above not in places:
            continue
        before = -1 if above is None else places.get(above, -1)
        place = said.place(record, before)
        if place is not None and (place == before or place not in taken):
            places[name] = place
            taken.add(place)
            kept.setdefault(place, []).append({"hash": name, **record.source, **_not_said(record)})
    for place, rows in kept.items():
        responses[place].source = {**(responses[place].source or {}), "message_store": rows}
    return {name: responses[place].source_id or "" for name, place in places.items()}


def _not_said(record: MessageRecord) -> dict[str, Any]:
    """Returns what a stored message has that a response's message, which says the same, may not have."""
    kept = [part for part in map(_without_text, record.parts) if part]
    attachments = [_filled(asdict(attachment)) for attachment in record.attachments]
    return {name: items for name, items in (("content", kept), ("attachments", attachments)) if items}


def _without_text(part: PartRecord) -> dict[str, Any]:
    is_compared = part.part_type in (PartType.TEXT, PartType.TOOL_RESULT)
    if part.part_type is PartType.TEXT and part.source is None:
        return {}
    return _filled(asdict(replace(part, text=None) if is_compared else part))


def _filled(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: item for name, item in fields.items() if item is not None}


class _SaidInOrder:
    """What responses say, one after the other.

    Prompts of nothing but attachments may be passed over: ``llm`` loses them when it writes responses anew.
    """

    def __init__(self, responses: Sequence[MessageRecord]) -> None:
        self._said = [_said(record) for record in responses]
        self._systems: list[Any] = []  # that each was said under
        for role, *rest in self._said:
            last = self._systems[-1] if self._systems else None
            self._systems.append((role, *rest) if role == "system" else last)
        self._next = list(range(len(responses) + 1))  # that says something, from each on
        for place in reversed(range(len(responses))):
            if responses[place].role == "user" and not responses[place].parts:
                self._next[place] = self._next[place + 1]

    def place(self, record: MessageRecord, before: int) -> int | None:
        """Returns which response's message a stored one is, behind the one before it; None if it is another."""
        said = _said(record)
        if record.role == "system" and before >= 0 and said == self._systems[before]:
            return before  # llm repeats the system prompt with each response
        place = self._next[before + 1]
        return place if place < len(self._said) and said == self._said[place] else None


def _said(record: MessageRecord) -> tuple[Any, ...]:
    texts = "".join(part.text or "" for part in record.parts if part.part_type is PartType.TEXT)
    calls = sorted((part.tool_name or "") for part in record.parts if part.part_type is PartType.TOOL_USE)
    results = sorted((part.text or "") for part in record.parts if part.part_type is PartType.TOOL_RESULT)
    return record.role, texts, calls, results


def _added(stored: StoredMessages, names: dict[str, str], conversation_id: str | None) -> list[MessageRecord]:
    """Returns the stored messages that no response has, and adds their ids."""
    added = []
    for name, record in stored.records.items():
        if name not in names:
            names[name] = _id(name, stored, conversation_id)
            added.append((name, record))
    return [
        replace(
            record,
            source_id=names[name],
            parent_source_id=names.get(record.parent_source_id or "", record.parent_source_id),
            source={"hash": name, **record.source},
        )
        for name, record in added
    ]


def _id(name: str, stored: StoredMessages, conversation_id: str | None) -> str:
    """Returns the id of a stored message: its hash in the notation of a UUID, by which copies are linked.

    That two chats begin with the same prompt makes neither a copy of the other. So what stands above all answers is
    told apart by the first answer below it.
    """
    if name in stored.leading:
        return _derived(name, stored.leading[name] or conversation_id or "")
    found = _HASH.fullmatch(name)
    return "-".join(found.groups()) if found else name


def _derived(name: str, other: str) -> str:
    digest = hashlib.sha256(f"{name}\n{other}".encode("utf-8", "surrogatepass")).hexdigest()
    found = _UUID.fullmatch(digest)
    return "-".join(found.groups()) if found else digest
