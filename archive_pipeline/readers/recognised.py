"""What is made of an element of a file: a record of a source, and the dialogue that is read from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.json.nesting import Element
from archive_pipeline.readers.json.rejections import excerpt_of
from archive_pipeline.readers.registry import readers


@dataclass(frozen=True, slots=True)
class ReadDialogue:
    """A dialogue, and the bytes it was read from."""

    record: DialogueRecord
    raw: bytes


@dataclass(frozen=True, slots=True)
class Recognised:
    """A record that is to be read as a conversation of a source."""

    element: Element
    source: str


def read_dialogue(element: Element, source: str) -> ReadDialogue | RejectedRecord:
    """Returns the dialogue that an element is to a source's reader, the parser's liberties noted; or why it is none."""
    try:
        record = readers()[source].read(element.value, element.locator)
    except Exception as error:  # noqa: BLE001 - one conversation of a shape nobody foresaw must not cost the others
        record = RejectedRecord(element.locator, "cannot be read", f"{type(error).__name__}: {error}")
    if isinstance(record, RejectedRecord):
        return replace(record, excerpt=excerpt_of(element.raw))
    if element.warnings:
        record = replace(record, warnings=Counter(record.warnings) + Counter(element.warnings))
    return ReadDialogue(record, element.raw)
