"""What is made of an element of a file: a record of a source, and the dialogue that is read from it."""

from __future__ import annotations

from dataclasses import dataclass

from archive_pipeline.domain.records import DialogueRecord
from archive_pipeline.readers.json.nesting import Element


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
