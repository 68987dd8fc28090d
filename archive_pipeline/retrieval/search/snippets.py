"""Snippets: the part of a text that has most of a query's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from archive_pipeline.retrieval.search.query import Term

SNIPPET_CHARACTERS: Final = 240
ELLIPSIS: Final = "…"
MOST_PIECES: Final = 64
# Of longer words the beginning is enough, so that "bakeries" shows "bakery"; the lexical retriever knows the
# languages, a snippet only has to be in the right place. A word with a digit has no ending: item234 is not item237.
_WHOLE_WORD: Final = 4
_ENDING: Final = 3

# Written without spaces, so that a part of a run is a word: found by two characters at a time.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_SENTENCE_START = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=\u3002)(?=\S)")


def word_pattern(terms: Iterable[Term]) -> re.Pattern[str] | None:
    """Return what finds the words of terms in a text, one group for each; None if there are no words."""
    found = {piece: first for term in terms for first, piece in _pieces(term)}
    pieces = sorted(list(found)[:MOST_PIECES], key=len, reverse=True)
    if not pieces:
        return None
    # Most places of a text begin none of the words: one look there, rather than one for each word.
    beginnings = "".join(sorted({re.escape(found[piece]) for piece in pieces}))
    return re.compile(f"(?=[{beginnings}])(?:{'|'.join(f'({piece})' for piece in pieces)})", re.IGNORECASE)


def snippet(text: str, words: re.Pattern[str] | None, max_characters: int = SNIPPET_CHARACTERS) -> str:
    """Return on one line the part of a text with most of the words, longer words counting more; else its beginning.

    Args:
        text: of a chunk.
        words: from ``word_pattern``.
        max_characters: the signs for what was left out included.
    """
    line = " ".join(text.split())
    if len(line) <= max_characters:
        return line
    room = max_characters - 2 * len(ELLIPSIS)
    first, last = _densest(line, words, room) if words else (0, 0)
    before = (room - (last - first)) // 2
    start = _start(line, first, max(0, min(first - before, len(line) - room)))
    end = _end(line, last, start + room)
    return f"{ELLIPSIS if start else ''}{line[start:end]}{ELLIPSIS if end < len(line) else ''}"


def _pieces(term: Term) -> list[tuple[str, str]]:
    """Return the first character of each word of a term, and what finds the word."""
    pieces = []
    for run in _UNSPACED.findall(term.text):
        pieces += [(run[at], run[at : at + 2]) for at in range(max(1, len(run) - 1))]
    for word in _WORD.findall(term.text):
        if term.kind == "prefix":
            piece = rf"(?<![^\W_]){re.escape(word)}\w*"
        elif len(word) <= _WHOLE_WORD:
            piece = rf"(?<![^\W_]){re.escape(word)}(?![^\W_])"
        elif any(map(str.isdigit, word)):
            piece = rf"(?<!\d){re.escape(word)}(?!\d)"
        else:
            piece = rf"{re.escape(word[: max(_WHOLE_WORD, len(word) - _ENDING)])}\w*"
        pieces.append((word[0], piece))
    return pieces


def _densest(line: str, words: re.Pattern[str], room: int) -> tuple[int, int]:
    """Return where the part with the most words begins and ends; the first of equals."""
    matches = [match for match in words.finditer(line) if match.end() - match.start() <= room]
    best, first, last = 0, 0, 0
    for at, match in enumerate(matches):
        weight, end = _weight(matches, at, match.start() + room)
        if weight > best:
            best, first, last = weight, match.start(), end
    return first, last


def _weight(matches: Sequence[re.Match[str]], at: int, limit: int) -> tuple[int, int]:
    """Return the length of the different words from one on that end before the limit, and where the last one ends."""
    seen: dict[int | None, int] = {}
    end = 0
    for match in (matches[place] for place in range(at, len(matches))):  # a slice would copy all that follow
        if match.end() > limit:
            break
        if match.lastindex not in seen:
            seen[match.lastindex] = match.end() - match.start()
            end = match.end()
    return sum(seen.values()), end


def _start(line: str, first: int, earliest: int) -> int:
    """Return a place to begin at: of a sentence if one begins there, else of a word."""
    if earliest == 0:
        return 0
    sentence = _SENTENCE_START.search(line, earliest, first + 1)
    if sentence is not None and sentence.end() <= first:
        return sentence.end()
    space = line.find(" ", earliest, first)
    return earliest if space < 0 else space + 1


def _end(line: str, last: int, latest: int) -> int:
    """Return a place to end at: after a word."""
    if latest >= len(line):
        return len(line)
    space = line.rfind(" ", last, latest + 1)
    return latest if space < 0 else space
