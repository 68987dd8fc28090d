"""Documents of Le Chat: canvases, which stand beside the chunks that show them, and elements with a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_identifier

_TEXTS: Final = ("content", "text", "source")


class Canvases:
    """The canvases of one message, each a version of a document as a whole."""

    def __init__(self, items: Iterable[dict[str, Any]]) -> None:
        self._left = dict(enumerate(items))
        self._places: dict[tuple[str | None, str], int] = {}
        for place, item in self._left.items():
            self._places.setdefault(_key(item), place)

    def shown(self, chunk: Fields) -> PartRecord:
        """Returns the canvas that a chunk shows; without a text if it is not there."""
        found = self._left.pop(self._places.get(_key(chunk.fields_left()), -1), None)
        if found is None:
            name = chunk.take_identifier("id")
            return PartRecord(PartType.ARTIFACT, source_type="canva", uri=name, source=chunk.rest())
        part = _document(found)
        beside = {key: value for key, value in (chunk.rest() or {}).items() if found.get(key) != value}
        part.source = {**(part.source or {}), "chunk": beside} if beside else part.source
        return part

    def left(self) -> Iterator[PartRecord]:
        """Yields those that no chunk shows."""
        return map(_document, self._left.values())


def _key(item: Mapping[str, Any]) -> tuple[str | None, str]:
    return as_identifier(item.get("id")), str(item.get("version"))


def _document(item: dict[str, Any]) -> PartRecord:
    canvas = Fields(item)
    text, kind, name = canvas.take_text("content"), canvas.take_text("type"), canvas.take_identifier("id")
    return PartRecord(PartType.ARTIFACT, text, kind or "canvas", uri=name, source=canvas.rest())


def element(chunk: Fields, kind: str | None) -> PartRecord:
    """Returns the part of an element that the answer shows; one without a text is kept as it is."""
    text = chunk.first_text(_TEXTS)
    part_type = PartType.UNKNOWN if text is None else PartType.ARTIFACT
    return PartRecord(part_type, text, kind, source=chunk.rest())
