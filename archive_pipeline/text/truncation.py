"""Where a text that is too long ends: after a sentence or a line of code, else after a word, else after a grapheme."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Final

import regex

from archive_pipeline.text.graphemes import grapheme_ends
from archive_pipeline.text.markdown import close_code
from archive_pipeline.text.sentences import cut_points

_FIRST_WINDOW: Final = 4_000  # characters


def cut_to_fit(content: str, fits: Callable[[str], bool], least: int = 1) -> str | None:
    """Return the longest beginning of a content that fits, its code block closed; None if none does.

    It ends after a sentence or a line of code; if no sentence fits, after a word; if no word fits, after a grapheme.
    It has at least ``least`` characters, for which it may end after a word where a sentence would end before.
    """
    size = _FIRST_WINDOW
    while size < len(content) and fits(close_code(content[:size])):
        size *= 2
    window = content[:size]
    for points in (cut_points, _word_ends, grapheme_ends):
        candidates = [point for point in points(window) if point >= least]
        if len(window) < len(content):
            candidates = candidates[:-1]  # it is where the window ends
        position = bisect_left(candidates, True, key=lambda point: not fits(close_code(window[:point])))  # noqa: FBT003
        beginning = close_code(window[: candidates[position - 1]]) if position else ""
        if beginning.strip():
            return beginning
    return None


def _word_ends(text: str) -> list[int]:
    return [match.start() for match in regex.finditer(r"(?<=\S)\s", text)]
