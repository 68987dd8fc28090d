"""Answers in records of activity: HTML or plain texts, in one of several fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_object, as_text
from archive_pipeline.text.html_markdown import html_as_markdown

_HTML: Final = ("html", "htmlValue")
_PLAIN: Final = ("name", "text")
# The first that says something is the answer.
_DETAILS: Final = "details"
_ANSWERS: Final = ("safeHtmlItem", "userInteractions", _DETAILS)
_ADDRESS: Final = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*://|www\.)\S+\s*", re.IGNORECASE)


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
    field = next((field for field in (*_HTML, *_PLAIN) if _is_said(value, field, name)), None)
    if field is None:
        return None
    if field in _HTML:
        markdown = html_as_markdown(str(value[field]))
        return PartRecord(PartType.TEXT, markdown, name, source=value) if markdown.strip() else None
    left = Fields(value)
    return PartRecord(PartType.TEXT, left.take_text(field), name, source=left.rest())


def _is_said(value: Mapping[str, Any], field: str, name: str) -> bool:
    """Tells whether a field has words; details may have only the address of the conversation."""
    text = as_text(value.get(field))
    return text is not None and not (name == _DETAILS and _ADDRESS.fullmatch(text))
