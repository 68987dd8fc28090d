"""What is made of an element of a file: a record of a source, and the dialogue that is read from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.json.nesting import Element, as_json
from archive_pipeline.readers.json.rejections import excerpt_of
from archive_pipeline.readers.json.shapes import as_list
from archive_pipeline.readers.json_lines import LINES
from archive_pipeline.readers.left_out_lines import count_left_out
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


def inside(recognised: Recognised) -> Iterator[Recognised]:
    """Yields the conversations of the same source that stand inside of a record."""
    element, inner = recognised.element, readers()[recognised.source].inner
    if inner is None or not isinstance(element.value, dict):
        return
    for place, value in inner(element.value):
        found = Element(f"{element.locator}{place}", as_json(value), value, element.warnings)
        yield Recognised(found, recognised.source)


def read_dialogue(element: Element, source: str) -> ReadDialogue | RejectedRecord:
    """Returns the dialogue that an element is to a source's reader, or why it is none.

    The parser's liberties are noted, and lines that are left out of a session.
    """
    try:
        record = readers()[source].read(element.value, element.locator)
    except Exception as error:  # noqa: BLE001 - one conversation of a shape nobody foresaw must not cost the others
        record = RejectedRecord(element.locator, "cannot be read", f"{type(error).__name__}: {error}")
    if isinstance(record, RejectedRecord):
        return replace(record, excerpt=excerpt_of(element.raw))
    noted = Counter(element.warnings) + count_left_out(as_list(element.value.get(LINES)))
    if noted:
        record = replace(record, warnings=Counter(record.warnings) + noted)
    return ReadDialogue(record, element.raw)
