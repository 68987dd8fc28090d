"""What an interaction says: its body, cards that are the answer, pages that it links, and what it was asked about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, joined
from archive_pipeline.text.html_markdown import html_as_markdown

_ATTACHMENTS: Final = "attachments"
_CARD: Final = "application/vnd.microsoft.card."
# Where an attachment stands in a text.
_MARK: Final = re.compile(r"""<attachment\s+id=(?:"[^"<>]*"|'[^'<>]*')\s*(?:/>|>\s*</attachment>)""", re.IGNORECASE)
# In a card, what its texts stand below.
_BLOCKS: Final = ("body", "items", "columns", "rows", "cells", "facts")
_RUNS: Final = "inlines"  # of one paragraph
_TEXTS: Final = ("title", "text", "value")
_LEVELS: Final = 32


def take_parts(fields: Fields, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Takes the parts of an interaction: its body, cards, links, contexts."""
    yield from _body(fields, warnings)
    yield from _cards(fields)
    for item in fields.take_objects("links"):
        link = Fields(item)
        name, url = link.take_text("displayName"), link.take_text("linkUrl")
        yield PartRecord(PartType.CITATION, name, "links", uri=url, source=link.rest())
    for item in fields.take_objects("contexts"):
        context = Fields(item)
        name, url = context.take_text("displayName"), context.take_text("contextReference")
        yield PartRecord(PartType.CONTEXT, name, "contexts", uri=url, source=context.rest())


def take_attachments(fields: Fields) -> Iterator[AttachmentRecord]:
    """Takes what is attached and no card."""
    for item in fields.take_objects(_ATTACHMENTS):
        file = Fields(item)
        kind = as_text(item.get("contentType")) or ""
        yield AttachmentRecord(
            source_id=file.take_identifier("attachmentId"),
            file_name=file.take_text("name"),
            mime_type=file.take_text("contentType") if "/" in kind else None,
            uri=file.take_text("contentUrl"),
            extracted_text=file.take_text("content"),
            source=file.rest(),
        )


def _body(fields: Fields, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Takes the text of the body without the marks of attachments; one that is changed stays as it was, too."""
    body = as_object(fields.fields_left().get("body"))
    content = as_text(body.get("content"))
    if content is None:
        warnings["malformed_text"] += bool(body.get("content"))
        return
    fields.take("body")
    text = _MARK.sub("", content)
    if str(body.get("contentType")).lower() == "html":
        text = html_as_markdown(text)
    kept = Fields(body)
    if text == content:
        kept.take("content")
    else:
        text = text.strip()
    yield PartRecord(PartType.TEXT, text or None, "body", source=kept.rest())


def _cards(fields: Fields) -> Iterator[PartRecord]:
    """Takes cards, whose texts are what the answer says; one without a text is an attachment as any other."""
    left: list[Any] = []
    for item in fields.take_items(_ATTACHMENTS):
        kind = as_text(as_object(item).get("contentType")) or ""
        text = _card_text(as_object(item).get("content")) if kind.startswith(_CARD) else None
        if text is None:
            left.append(item)
        else:
            yield PartRecord(PartType.TEXT, text, kind, source=item)
    fields.put_back(_ATTACHMENTS, left)


def _card_text(content: object) -> str | None:
    """Returns the texts of a card, which is JSON as text, or an object."""
    value = content
    if isinstance(content, str):
        try:
            value, _ = parse_json(content.encode("utf-8", "surrogatepass"))
        except ValueError:
            return None
    return joined(_texts(value, _LEVELS))


def _texts(value: object, levels: int) -> Iterator[str]:
    """Yields the texts of a card's block and of those below it, in their order, down to so many levels."""
    block = as_object(value)
    for name in _TEXTS:
        if (text := as_text(block.get(name))) is not None:
            yield text
    if runs := "".join(filter(None, map(_run, as_list(block.get(_RUNS))))):
        yield runs
    below = [item for name in _BLOCKS for item in as_list(block.get(name))] if levels else []
    for item in below:
        yield from _texts(item, levels - 1)


def _run(item: object) -> str | None:
    return as_text(item) or as_text(as_object(item).get("text"))
