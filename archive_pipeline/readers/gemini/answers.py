"""Answers in records of activity: HTML or plain texts, in one of several fields."""

from __future__ import annotations

from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_object, as_text
from archive_pipeline.text.html_markdown import html_as_markdown

_HTML: Final = ("html", "htmlValue")
_PLAIN: Final = ("name", "text")
# The first that says something is the answer.
_ANSWERS: Final = ("safeHtmlItem", "userInteractions", "details")


def answer_parts(fields: Fields) -> list[PartRecord]:
    """Takes the answer, as Markdown; its HTML stays with each part. What is no text is given back."""
    for name in _ANSWERS:
        items = fields.take_items(name)
        made = [_part(item, name) for item in items]
        fields.put_back(name, [item for item, part in zip(items, made, strict=True) if part is None])
        if parts := [part for part in made if part is not None]:
            return parts
    return []


def _part(item: Any, name: str) -> PartRecord | None:
    """Returns the text of an item; None if it says nothing that can be shown."""
    value = {"html": item} if isinstance(item, str) else as_object(item)
    html = next((text for field in _HTML if (text := as_text(value.get(field)))), None)
    if html is not None:
        markdown = html_as_markdown(html)
        return PartRecord(PartType.TEXT, markdown, name, source=value) if markdown.strip() else None
    left = Fields(value)
    text = next((text for field in _PLAIN if (text := left.take_text(field))), None)
    return PartRecord(PartType.TEXT, text, name, source=left.rest()) if text is not None else None
