"""The pages that a ChatGPT answer refers to in its text, each a part: those of a group, what supports them, footnotes.

A reference that names no page, such as that to a place or person, stays in the metadata.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields

REFERENCES: Final = "content_references"
_KIND: Final = "content_reference"
_CITED: Final = ("items", "item")
# What these name again stays where it is.
_BESIDE: Final = ("fallback_items", "sources")
_SUPPORTING: Final = "supporting_websites"
_PLACE: Final = ("type", "matched_text", "start_idx", "end_idx")
_FILE: Final = "file"


def take_name(fields: Fields) -> tuple[str | None, str | None]:
    """Takes address and title of what is cited; of a file, which has no title, its name."""
    url, title = fields.take_text("url"), fields.take_text("title")
    if title is None and fields.fields_left().get("type") == _FILE:
        title = fields.take_text("name")
    return url, title


def take_references(metadata: Fields) -> Iterator[PartRecord]:
    """Takes the references that name a page, as a part for each page."""
    unread: list[Any] = []
    cited: set[str | None] = set()
    for reference in metadata.take_items(REFERENCES):
        parts = _parts(reference, cited) if isinstance(reference, dict) else []
        yield from parts
        if not parts:
            unread.append(reference)
    metadata.put_back(REFERENCES, unread)


def _parts(reference: dict[str, Any], cited: set[str | None]) -> list[PartRecord]:
    """Returns the pages of a reference; the first has all that the reference says of no page, others its place."""
    fields = Fields(reference)
    url, title = take_name(fields)
    cited.add(url)
    pages = [part for name in _CITED for part in _pages(fields, name, cited, repeated=True)]
    pages += [part for name in _BESIDE for part in _pages(fields, name, cited, repeated=False)]
    if url or title:
        own = [PartRecord(PartType.CITATION, title, _KIND, uri=url, source=fields.rest())]
    else:
        own, pages[:1] = pages[:1], []
        for part in own:
            part.source = _with_reference(part.source, fields.rest())
    place: dict[str, Any] = {name: reference[name] for name in _PLACE if name in reference}
    for part in pages:
        part.source = _with_reference(part.source, place)
    return [*own, *pages]


def _with_reference(source: Any, reference: dict[str, Any] | None) -> Any:
    return {**(source or {}), "reference": reference} if reference else source


def _pages(fields: Fields, name: str, cited: set[str | None], *, repeated: bool) -> list[PartRecord]:
    """Takes the pages of a field, each with those that support it behind it.

    Args:
        fields: of a reference or a page.
        name: of the field.
        cited: addresses of pages that are parts; those of these are added.
        repeated: pages among them are parts once more.
    """
    parts: list[PartRecord] = []
    left: list[Any] = []
    for item in fields.take_items(name):
        page = Fields(item)
        url, title = take_name(page)
        if not (url or title) or (url is not None and url in cited and not repeated):
            left.append(item)
            continue
        cited.add(url)
        supporting = _pages(page, _SUPPORTING, cited, repeated=False)
        parts += [PartRecord(PartType.CITATION, title, _KIND, uri=url, source=page.rest()), *supporting]
    fields.put_back(name, left)
    return parts
