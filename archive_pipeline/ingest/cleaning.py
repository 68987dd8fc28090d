"""Messages with clean texts, and with what the source says of them as JSON text: as the tables take them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from operator import attrgetter
from typing import Any, Final, TypeVar

import orjson

from archive_pipeline.domain.records import AttachmentRecord, MessageRecord, PartRecord
from archive_pipeline.text.sanitize import NUL_ESCAPE, clean_text, json_text

RecordT = TypeVar("RecordT", MessageRecord, PartRecord, AttachmentRecord)


def clean_messages(messages: Sequence[MessageRecord], counts: Counter[str]) -> tuple[MessageRecord, ...]:
    """Return the messages with clean texts, ``source`` fields as JSON text; count what was sanitised."""
    if _are_clean(messages):
        return tuple([_with_json(message, counts) for message in messages])
    return tuple([_clean_message(message, counts) for message in messages])


def _are_clean(messages: Sequence[MessageRecord]) -> bool:
    """Tell whether no text of the messages has NUL or half a character: one look at all of them shows it.

    A text that spells the escape of NUL counts as one that has it.
    """
    parts = list(chain.from_iterable([message.parts for message in messages]))
    files = list(chain.from_iterable([message.attachments for message in messages]))
    try:
        encoded = orjson.dumps([*_texts(messages), *_texts(parts), *_texts(files)])
    except orjson.JSONEncodeError:
        return False
    return NUL_ESCAPE not in encoded


def _texts(records: Sequence[MessageRecord | PartRecord | AttachmentRecord]) -> Iterable[tuple[str | None, ...]]:
    return map(_FIELDS[type(records[0])].get_texts, records) if records else ()


def _with_json(message: MessageRecord, counts: Counter[str]) -> MessageRecord:
    """Return a message of clean texts with its ``source``, and those of its parts and files, as JSON text."""
    changed: dict[str, Any] = {}
    if message.parts:
        changed["parts"] = tuple(
            [
                part if part.source is None and part.tool_input is None else _changed(part, counts, {})
                for part in message.parts
            ]
        )
    if message.attachments:
        changed["attachments"] = tuple([_changed(file, counts, {}) for file in message.attachments])
    return _changed(message, counts, changed)


def _clean_message(message: MessageRecord, counts: Counter[str]) -> MessageRecord:
    changed: dict[str, Any] = _clean_texts(message, counts)
    if message.parts:
        changed["parts"] = tuple([_changed(part, counts, _clean_texts(part, counts)) for part in message.parts])
    if message.attachments:
        changed["attachments"] = tuple(
            [_changed(file, counts, _clean_texts(file, counts)) for file in message.attachments]
        )
    return _changed(message, counts, changed)


def _clean_texts(record: RecordT, counts: Counter[str]) -> dict[str, Any]:
    """Return the texts of a record that cleaning changes, by field."""
    own = _FIELDS[type(record)]
    texts = zip(own.texts, own.get_texts(record), strict=True)
    return {name: clean for name, text in texts if text is not None and (clean := clean_text(text, counts)) is not text}


def _changed(record: RecordT, counts: Counter[str], changed: dict[str, Any]) -> RecordT:
    """Return the record with what has changed, and with what the source says as JSON text."""
    own = _FIELDS[type(record)]
    for name in own.json_values:
        value = getattr(record, name)
        if value is not None:
            changed[name] = json_text(value, counts)
    if not changed:
        return record
    # What dataclasses.replace does, in a third of the time: every message of an import comes by here.
    values = list(own.get_all(record))
    for name, value in changed.items():
        values[own.places[name]] = value
    return type(record)(*values)


class _Fields:
    """The fields of a type of records: places of all, those that are texts, and those that become JSON text."""

    def __init__(self, kind: type, texts: tuple[str, ...], json_values: tuple[str, ...]) -> None:
        names = [field.name for field in fields(kind)]
        self.places = {name: place for place, name in enumerate(names)}
        self.get_all = attrgetter(*names)
        self.texts = texts
        self.get_texts = attrgetter(*texts)
        self.json_values = json_values


_FIELDS: Final[Mapping[type, _Fields]] = {
    MessageRecord: _Fields(
        MessageRecord,
        ("source_id", "parent_source_id", "model", "author_name", "recipient", "channel"),
        ("source",),
    ),
    PartRecord: _Fields(
        PartRecord,
        ("text", "source_type", "tool_name", "tool_use_id", "language", "mime_type", "uri"),
        ("tool_input", "source"),
    ),
    AttachmentRecord: _Fields(
        AttachmentRecord, ("source_id", "file_name", "mime_type", "uri", "extracted_text"), ("source",)
    ),
}
