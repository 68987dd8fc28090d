"""Sentences of a Markdown text, with their places.

Structure comes first: code blocks, headings, list items, table rows and blank lines bound a sentence; a line break in a
paragraph does not. Inside a paragraph ``sentencex`` finds the ends (abbreviations, decimal numbers, quotation marks,
Chinese and Japanese full stops). A piece without any letter, such as a citation after the full stop, belongs to the
sentence before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import sentencex

from archive_pipeline.text.markdown import code_blocks, paragraphs

_LINE = re.compile(r"[^\n]+")
_LETTER = re.compile(r"[^\W\d_]")
# sentencex 1.0.32 panics on "B\u2028."; with plain spaces it went through 3 million random texts.
_WHITE_SPACE = re.compile(r"\s")
# It takes quadratic time of texts of many sentences or quotation marks. Few paragraphs have so many characters.
_WINDOW: Final = 8_000
_LOOKED_AT_ONCE: Final = _WINDOW * 7 // 8


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: characters ``start`` to ``end`` of the text it is from."""

    start: int
    end: int
    text: str


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text, without code blocks, headings and pieces that have no letter."""
    found: list[Sentence] = []
    for start, end in paragraphs(text):
        for first, last in _split(text, start, end):
            found.append(Sentence(first, last, text[first:last]))
    return found


def cut_points(text: str) -> list[int]:
    """Return where a text may end, in order: after a sentence, after a line of a code block."""
    points = {sentence.end for sentence in sentences(text)}
    for block in code_blocks(text):
        points.update(line.end() for line in _LINE.finditer(text, block.start, block.end))
    return sorted(points)


def _split(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the ranges of a paragraph's sentences, white space around them cut off."""
    ranges: list[tuple[int, int]] = []
    opening: int | None = None  # of letterless pieces before the first sentence
    for piece_start, piece_end in _pieces(_WHITE_SPACE.sub(" ", text[start:end])):
        piece = text[start + piece_start : start + piece_end]
        first = start + piece_start + len(piece) - len(piece.lstrip())
        last = first + len(piece.strip())
        if first == last:
            continue
        if _LETTER.search(piece):
            ranges.append((first if opening is None else opening, last))
            opening = None
        elif ranges:
            ranges[-1] = (ranges[-1][0], last)
        elif opening is None:
            opening = first
    return ranges


def _pieces(paragraph: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges that ``sentencex`` parts a paragraph into, looked for window by window.

    Where a sentence ends depends on what follows: the end of a window is looked at again in the next one, which begins
    with a sentence, or in the middle of a long one. A window ends before a quotation that goes on beyond it. Where
    quotation marks have no other half, sentences may end elsewhere than in the paragraph as a whole.
    """
    begin, window = 0, 0
    while window < len(paragraph):
        end = window + _WINDOW
        is_last = end >= len(paragraph)
        if not is_last and paragraph.count('"', window, end) % 2:
            end = max(window + _LOOKED_AT_ONCE, paragraph.rfind('"', window, end))
        for boundary in sentencex.get_sentence_boundaries("en", paragraph[window:end])[1:]:
            if is_last or boundary["start_index"] < _LOOKED_AT_ONCE:
                yield begin, window + boundary["start_index"]
                begin = window + boundary["start_index"]
        window = len(paragraph) if is_last else max(begin, window + _WINDOW // 2)
    yield begin, len(paragraph)
