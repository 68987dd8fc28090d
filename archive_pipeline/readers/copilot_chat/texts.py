"""Texts of an answer: VS Code cuts them where they name a file, and keeps each piece with how it is shown."""

from __future__ import annotations

from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_object, as_text
from archive_pipeline.readers.vscode_places import name_of

_MARKDOWN: Final = frozenset({"markdownContent", "markdownVuln"})
_REFERENCE: Final = "inlineReference"
_TEXT: Final = ("value", "content")


def take_markdown(fields: Fields, names: tuple[str, ...] = _TEXT) -> str | None:
    """Takes a text that is Markdown of VS Code: a string, or an object with a value; what is beside it stays."""
    for name in names:
        text = fields.take_text(name)
        if text is not None:
            return text
        inner = Fields(fields.fields_left().get(name))
        text = inner.take_text("value")
        if text is not None:
            fields.fields_left()[name] = _told(inner)
            return text
    return None


class Passage:
    """Pieces of a text that follow each other."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._rest: list[Any] = []

    def add(self, item: object) -> bool:
        """Adds an entry of an answer if it is a piece of a text."""
        fields = Fields(item)
        kind = as_object(item).get("kind")
        if kind == _REFERENCE:
            text = _named(as_object(item))
        else:
            is_markdown = isinstance(kind, str) and kind in _MARKDOWN
            text = take_markdown(fields) if is_markdown else fields.take_text("value") if kind is None else None
        if text is None:
            return False
        self._texts.append(text)
        if (rest := item if kind == _REFERENCE else _told(fields)) is not None:
            self._rest.append(rest)
        return True

    def take(self) -> list[PartRecord]:
        """Returns the part of the pieces, none if there are none, and begins anew."""
        texts, rest = self._texts, self._rest
        self._texts, self._rest = [], []
        return [PartRecord(PartType.TEXT, "".join(texts), "markdown", source=rest or None)] if texts else []


def _named(item: dict[str, Any]) -> str | None:
    name = as_text(item.get("name")) or name_of(item.get(_REFERENCE))
    return f"`{name}`" if name else None


def _told(fields: Fields) -> dict[str, Any] | None:
    """Returns what nothing has taken; that Markdown may have icons or not is said of every piece."""
    rest = {name: item for name, item in (fields.rest() or {}).items() if item is not False}
    return rest or None
