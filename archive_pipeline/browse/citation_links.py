"""Citations of an answer as links to its sources below it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from archive_pipeline.retrieval.context.citations import OPENING_BRACKETS, Citation, citation_at

CITED: Final = "cited"
_BRACKET: Final = re.compile(rf"[{OPENING_BRACKETS}]")
_NUMBER: Final = re.compile(r"\d+")


def link_citations(state: StateCore) -> None:
    """Make links of the citations in a text whose environment has the numbers of sources as ``CITED``."""
    numbers: Collection[int] = state.env.get(CITED, ())
    if not numbers:
        return
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = list(_linked(token.children, numbers))


def _linked(tokens: list[Token], numbers: Collection[int]) -> Iterator[Token]:
    depth = 0  # links hold no links
    for token in tokens:
        depth += token.nesting if token.type in {"link_open", "link_close"} else 0
        if token.type == "text" and depth == 0:
            yield from _pieces(token.content, numbers)
        else:
            yield token


def _pieces(text: str, numbers: Collection[int]) -> Iterator[Token]:
    done = 0
    for start, end, number in _places(text, numbers):
        yield Token("text", "", 0, content=text[done:start])
        yield Token("link_open", "a", 1, attrs={"href": f"#source-{number}"})
        yield Token("text", "", 0, content=text[start:end])
        yield Token("link_close", "a", -1)
        done = end
    yield Token("text", "", 0, content=text[done:])


def _places(text: str, numbers: Collection[int]) -> Iterator[tuple[int, int, int]]:
    """Yield where links begin and end, and the number that each leads to."""
    for bracket in _BRACKET.finditer(text):
        citation = citation_at(text, bracket.start(), numbers)
        if citation is not None and not citation.unknown:
            yield from _places_of(citation)


def _places_of(citation: Citation) -> Iterator[tuple[int, int, int]]:
    if len(citation.numbers) == 1:
        yield citation.start, citation.end, citation.numbers[0]
        return
    for found in _NUMBER.finditer(citation.text):
        if int(found[0]) in citation.numbers:
            yield citation.start + found.start(), citation.start + found.end(), int(found[0])
