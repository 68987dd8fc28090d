"""What ChatGPT keeps of a message beside its content that is a part of it: web sources, canvas texts, instructions.

Bulk exports since 2026 have no tool calls and no hidden messages; what a search found then stands in the metadata of
the answer alone, a canvas in its text, and the custom instructions in the metadata of a message without content. Each
value that becomes a part is taken from the metadata; a value of an unexpected kind stays there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.chatgpt.references import REFERENCES, take_name, take_references
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_text, joined

INSTRUCTIONS: Final = "user_context_message_data"
_INSTRUCTION_TEXTS: Final = ("about_user_message", "user_profile", "about_model_message", "user_instructions")
_FIELDS: Final = frozenset({"search_result_groups", REFERENCES, "citations", "safe_urls"})
_TEXT: Final = PartType.TEXT  # looked up once: that takes ten times as long as a name
_WRITING: Final = ":::writing"
_FENCE: Final = ":::"
_ATTRIBUTE: Final = re.compile(r'(\w{1,40})="([^"]*)"')


def take_instructions(metadata: Fields) -> list[PartRecord]:
    """Takes the custom instructions of a message that has nothing else, as the part that holds context."""
    value = metadata.fields_left().get(INSTRUCTIONS)
    if not isinstance(value, dict) or not value:
        return []
    metadata.take(INSTRUCTIONS)
    fields = Fields(value)
    text = joined([fields.take_text(name) for name in _INSTRUCTION_TEXTS])
    return [PartRecord(PartType.CONTEXT, text, INSTRUCTIONS, source=fields.rest())]


def written_texts(parts: Iterable[PartRecord]) -> list[PartRecord]:
    """Returns the canvas texts in the text parts of an answer, which stay as they are: offsets count in them."""
    return [
        PartRecord(PartType.ARTIFACT, body, "writing", uri=attributes.get("id"), source=attributes or None)
        for part in parts
        if part.part_type is _TEXT and part.text and _WRITING in part.text
        for attributes, body in _writing_blocks(part.text)
    ]


def _writing_blocks(text: str) -> Iterator[tuple[dict[str, str], str]]:
    """Yields attributes and body of each block from a line ``:::writing{…}`` to the next line ``:::``."""
    attributes: dict[str, str] | None = None
    body: list[str] = []
    for line in text.split("\n"):
        if attributes is None:
            if line.startswith(_WRITING):
                attributes, body = dict(_ATTRIBUTE.findall(line)), []
        elif line.rstrip() == _FENCE:
            yield attributes, "\n".join(body)
            attributes = None
        else:
            body.append(line)


def take_sources(metadata: Fields) -> list[PartRecord]:
    """Takes what a message cites and found on the web: a part for each result, reference and page."""
    if _FIELDS.isdisjoint(metadata.fields_left()):
        return []
    parts = [*_search_results(metadata), *take_references(metadata), *_citations(metadata)]
    named = {part.uri for part in parts}
    urls = metadata.take_items("safe_urls")
    metadata.put_back("safe_urls", [url for url in urls if not as_text(url)])
    new = dict.fromkeys(url for url in urls if as_text(url) and url not in named)
    return [*parts, *(PartRecord(PartType.CITATION, source_type="safe_url", uri=url) for url in new)]


def _search_results(metadata: Fields) -> Iterator[PartRecord]:
    unread: list[Any] = []
    for group in metadata.take_items("search_result_groups"):
        fields = Fields(group)
        entries = fields.take_items("entries")
        found = [entry for entry in entries if _is_page(entry)]
        if not found:
            unread.append(group)
            continue
        fields.put_back("entries", [entry for entry in entries if not _is_page(entry)])
        group_source = fields.rest()
        for position, entry in enumerate(found):
            yield _found(entry, group_source if position == 0 else _domain(group_source))
    metadata.put_back("search_result_groups", unread)


def _domain(group: dict[str, Any] | None) -> dict[str, Any] | None:
    return {"domain": group["domain"]} if group and "domain" in group else None


def _is_page(entry: object) -> bool:
    return any(take_name(Fields(entry)))


def _found(entry: dict[str, Any], group: dict[str, Any] | None) -> PartRecord:
    fields = Fields(entry)
    url, title = take_name(fields)
    source = fields.rest()
    if group:
        source = {**(source or {}), "group": group}
    return PartRecord(PartType.CITATION, title, "search_result", uri=url, source=source)


def _citations(metadata: Fields) -> Iterator[PartRecord]:
    """Reads the older form: offsets into the text, and the page in an object ``metadata``."""
    unread: list[Any] = []
    for citation in metadata.take_items("citations"):
        fields = Fields(citation)
        page = Fields(fields.fields_left().get("metadata"))
        url, title = take_name(page)
        if not (url or title):
            unread.append(citation)
            continue
        fields.take("metadata")
        source = {**(fields.rest() or {}), **({"metadata": rest} if (rest := page.rest()) else {})}
        yield PartRecord(PartType.CITATION, title, "citation", uri=url, source=source or None)
    metadata.put_back("citations", unread)
