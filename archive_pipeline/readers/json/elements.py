"""The bytes of an element as its value, or why they are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.json.kinds import Kinds
from archive_pipeline.readers.json.nesting import Element
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.rejections import rejected
from archive_pipeline.readers.json.slices import Slice
from archive_pipeline.readers.json.structure import may_take

MAX_ELEMENT_MEMORY: Final = 1024 * 1024 * 1024
Parse = Callable[[bytes], tuple[Any, tuple[str, ...]]]


def element_of(piece: Slice, where: str, parse: Parse) -> Element | RejectedRecord:
    """Returns the element at a place, or why it cannot be read."""
    if piece.is_oversized:
        return rejected(piece, where, "is too large to be one conversation")
    if not piece.raw:
        return rejected(piece, where, "is empty: two commas follow each other")
    if may_take(piece.raw, MAX_ELEMENT_MEMORY):
        return rejected(piece, where, "holds more values than any conversation")
    try:
        value, warnings = parse(piece.raw)
    except ValueError as error:
        return rejected(piece, where, "is not valid JSON", str(error))
    return Element(where, piece.raw, value, warnings)


def is_message(raw: bytes, kinds: Kinds) -> bool:
    """Tells an entry of one conversation's array by its bytes."""
    if may_take(raw, MAX_ELEMENT_MEMORY):
        return False
    try:
        value, _ = parse_json(raw)
    except ValueError:
        return False
    return kinds.is_message(value)
