"""The layout since 0.32: messages by hash, each with its parent's, so that what begins alike is stored once.

A conversation is a thread: the messages above its tip and above those its turns ended with, a tree. A turn is one call
of a model; it says when the messages were made that it added, and by which model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, MessageRecord, PartRecord, Role
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_identifier, as_text
from archive_pipeline.readers.llm.parts import read_part
from archive_pipeline.readers.llm.rows import Row, Tables
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_GIVEN: Final = frozenset({"user", "tool"})  # to a model, by a turn
_NO_TIME: Final = float("inf")


@dataclass(slots=True)
class StoredMessages:
    """The messages of a conversation.

    Attributes:
        records: by hash, parents before children; ``source_id`` is the hash, ``parent_source_id`` the parent's.
        tip: the hash that the thread points to.
        leading: the messages that stand above all answers, each with the hash of the first answer below it or None.
    """

    records: dict[str, MessageRecord] = field(default_factory=dict)
    tip: str | None = None
    leading: dict[str, str | None] = field(default_factory=dict)


def read_messages(tables: Tables, conversation_id: str | None, warnings: Counter[str]) -> StoredMessages:
    """Returns the messages of all rows."""
    rows = dict(tables.unique("messages", "hash", warnings))
    if not rows:
        return StoredMessages()
    found = StoredMessages()
    for name in _parents_first(rows):
        found.records[name] = _message(name, rows[name], tables, warnings)
    _read_turns(tables, found.records, conversation_id, warnings)
    found.leading = _leading(found.records)
    threads = tables.of("threads", "id", conversation_id)
    found.tip = as_identifier(threads[0].get("tip_message_hash")) if threads else None
    return found


def _parents_first(rows: Mapping[str, Row]) -> Iterator[str]:
    """Yields the hashes in the order of the rows, each behind its parent; a circle begins where it is entered."""
    done: set[str] = set()
    for name in rows:
        trail: dict[str, None] = {}
        above: str | None = name
        while above is not None and above in rows and above not in done and above not in trail:
            trail[above] = None
            above = as_identifier(rows[above].get("parent_hash"))
        yield from reversed(trail)
        done.update(trail)


def _message(name: str, row: Row, tables: Tables, warnings: Counter[str]) -> MessageRecord:
    fields = Fields(row)
    role = read_role(row.get("role"), _ROLES, warnings)
    parts: list[PartRecord] = []
    attachments: list[AttachmentRecord] = []
    kept: list[Any] = []
    for part in sorted(tables.take("parts", "message_hash", name), key=_position):
        read = read_part(part, tables, warnings)
        parts += read.parts
        attachments += read.attachments
        kept.append(read.rest)
    return MessageRecord(
        source_id=name,
        parent_source_id=as_identifier(row.get("parent_hash")),
        role=role,
        parts=tuple(parts),
        attachments=tuple(attachments),
        source={"message": fields.rest() or {}, "parts": kept},
    )


def _position(row: Row) -> float:
    position = row.get("position")
    return position if isinstance(position, int | float) and not isinstance(position, bool) else _NO_TIME


def _read_turns(
    tables: Tables, records: Mapping[str, MessageRecord], conversation_id: str | None, warnings: Counter[str]
) -> None:
    """Tells the messages when and by which model they were made.

    What one turn has said of a message no other one changes. Turns of the thread itself come first: another thread may
    have made the same answer to the same messages.
    """
    turns = []
    for tip, record in records.items():
        taken = tables.take("turns", "tip_message_hash", tip)
        if taken:
            record.source = {**record.source, "turns": [dict(row) for row in taken]}
        for row in taken:
            name = as_identifier(row.get("id")) or ""
            is_others = (as_identifier(row.get("thread_id")) or name) != conversation_id
            turns.append((is_others, read_timestamp(row.get("datetime_utc"), warnings), name, tip, row))
    told: set[str] = set()
    for _, time, _, tip, row in sorted(turns, key=lambda turn: (turn[0], _moment(turn[1]), turn[2])):
        model = as_text(row.get("model"))
        for record in _made(records, tip, as_identifier(row.get("parent_message_hash")), told):
            record.created_at = time
            record.model = model if record.role == "assistant" else None


def _made(
    records: Mapping[str, MessageRecord], tip: str, parent: str | None, told: set[str]
) -> Iterator[MessageRecord]:
    """Yields what a turn made, and what it was given that is no answer: its prompt, and results of tools."""
    name: str | None = tip
    is_output = True
    while name is not None and name in records and name not in told:
        is_output = is_output and name != parent
        record = records[name]
        is_beginning = record.role == "system" and record.parent_source_id is None
        if not is_output and record.role not in _GIVEN and not is_beginning:
            return
        told.add(name)
        yield record
        name = record.parent_source_id


def _leading(records: Mapping[str, MessageRecord]) -> dict[str, str | None]:
    """Returns the messages that stand above all answers, each with the first answer below it; None if there is none."""
    found: dict[str, str | None] = {}
    answers: list[str] = []
    for name, record in records.items():
        above = record.parent_source_id
        if above is None or above not in records or above in found:
            if record.role == "assistant":
                answers.append(name)
            else:
                found[name] = None
    for answer in sorted(answers, key=lambda name: _moment(records[name].created_at)):
        above = records[answer].parent_source_id
        while above is not None and above in found and found[above] is None:
            found[above] = answer
            above = records[above].parent_source_id
    return found


def _moment(time: datetime | None) -> float:
    return _NO_TIME if time is None else time.timestamp()
