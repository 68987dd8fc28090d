"""What a response of Grok's says: thoughts, what a search found, the answer, what it shows and what it cites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType, Role
from archive_pipeline.readers.grok.cards import cards_of, shown_parts, take_cited
from archive_pipeline.readers.grok.markup import read_markup
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_text
from archive_pipeline.readers.search_results import results_text

_TEXT: Final = PartType.TEXT  # looked up once: that takes ten times as long as a name
_SEARCH: Final = "web_search"
_IMAGES: Final = "generated_image_urls"


def take_parts(fields: Fields, name: str, role: Role) -> Iterator[PartRecord]:
    """Takes what a response says, in the order in which it came about: thoughts, search, answer, pictures, sources."""
    response = dict(fields.fields_left())
    cards = cards_of(response)
    yield from _thoughts(fields)
    yield from _search(fields, name)
    yield from _said(fields, role)
    pictures = [uri for uri in fields.take_texts(_IMAGES) if uri]
    yield from (PartRecord(PartType.IMAGE, uri=uri, source_type="generated") for uri in pictures)
    yield from shown_parts(cards, pictures)
    error = fields.take_text("error")
    if error is not None:
        yield PartRecord(PartType.ERROR, error, "error")
    yield from take_cited(fields, response, cards)


def _said(fields: Fields, role: Role) -> Iterator[PartRecord]:
    """Takes the text, of an answer without its markup; with that it stays where it was, too."""
    whole = as_text(fields.fields_left().get("message"))
    if whole is None:
        return
    text, artifacts = read_markup(whole) if role == "assistant" else (whole, [])
    if text == whole:
        fields.take("message")
    if text:
        yield PartRecord(_TEXT, text, "message")
    yield from artifacts


def _thoughts(fields: Fields) -> list[PartRecord]:
    text = fields.take_text("thinking_trace")
    parts = [PartRecord(PartType.THINKING, text, "thinking_trace")] if text else []
    unread: list[Any] = []
    for item in fields.take_items("agent_thinking_traces"):
        trace = Fields(item)
        words = trace.take_text("thinking_trace") or trace.take_text("message")
        if isinstance(item, dict) and words is not None:
            parts.append(PartRecord(PartType.THINKING, words, "agent_thinking_trace", source=trace.rest()))
        elif not is_empty(item):
            unread.append(item)
    fields.put_back("agent_thinking_traces", unread)
    return parts


def _search(fields: Fields, name: str) -> list[PartRecord]:
    """Takes the results of a web search and what was asked for; without results the question is the prompt again."""
    results = fields.take_items("web_search_results")
    if not results:
        return []
    call = f"{_SEARCH}-{name}"
    query = fields.take_text("query")
    asked = {"query": query} if query is not None else None
    return [
        PartRecord(PartType.TOOL_USE, source_type=_SEARCH, tool_name=_SEARCH, tool_use_id=call, tool_input=asked),
        PartRecord(
            PartType.TOOL_RESULT,
            results_text(results),
            _SEARCH,
            tool_name=_SEARCH,
            tool_use_id=call,
            source={"web_search_results": results},
        ),
    ]
