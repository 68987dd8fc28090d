"""Which sources go into a context, and how much of them: the budget holds for the text that is delivered.

Sources are taken in order. One that does not fit is skipped, and a later, smaller one may fill. Only while the context
is empty is a source shortened, to the last sentence that fits (else word, else grapheme).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import regex

from archive_pipeline.context.code_blocks import close_code
from archive_pipeline.context.documents import SourceDocument
from archive_pipeline.context.rendering import SEPARATOR, render_source
from archive_pipeline.context.sentences import cut_points

_FIRST_WINDOW: Final = 4_000  # characters


class ContextPacker:
    """Collects sources until the budget is used up. ``count`` counts the tokens of a text."""

    def __init__(self, max_tokens: int, count: Callable[[str], int]) -> None:
        self._max_tokens = max_tokens
        self._count = count
        self._used = 0  # tokens of the blocks so far, each but the first with its separator
        self._blocks: list[str] = []
        self.sources: list[SourceDocument] = []

    @property
    def text(self) -> str:
        """The context so far."""
        return SEPARATOR.join(self._blocks)

    def add(self, source: SourceDocument) -> bool:
        """Take the source, shortened if it is the first and too large; return whether it was taken."""
        block = render_source(source, len(self.sources) + 1)
        # Counters that split text before a header, as tokenizers do, count the parts as the whole; finish() makes sure.
        used = self._used + self._count(SEPARATOR + block if self._blocks else block)
        if used > self._max_tokens:
            shortened = None if self._blocks else self._shortened(source)
            if shortened is None:
                return False
            source, block = shortened, render_source(shortened, 1)
            used = self._count(block)
        self._used = used
        self._blocks.append(block)
        self.sources.append(source)
        return True

    def finish(self) -> tuple[int, list[SourceDocument]]:
        """Return the exact tokens of ``text`` and the sources that had to be taken out again, last first."""
        removed = []
        while (tokens := self._count(self.text)) > self._max_tokens:
            self._blocks.pop()
            removed.append(self.sources.pop())
        return tokens, removed

    def _shortened(self, source: SourceDocument) -> SourceDocument | None:
        def fits(content: str) -> bool:
            return self._count(render_source(replace(source, markdown_content=content), 1)) <= self._max_tokens

        content = cut_to_fit(source.markdown_content, fits)
        return None if content is None else replace(source, markdown_content=content, content_truncated=True)


def cut_to_fit(content: str, fits: Callable[[str], bool]) -> str | None:
    """Return the longest beginning of a content that fits, its code block closed; None if none does.

    It ends after a sentence or a line of code; if no sentence fits, after a word; if no word fits, after a grapheme.
    """
    size = _FIRST_WINDOW
    while size < len(content) and fits(close_code(content[:size])):
        size *= 2
    window = content[:size]
    for points in (cut_points, _word_ends, _grapheme_ends):
        candidates = points(window)
        if len(window) < len(content):
            candidates = candidates[:-1]  # it is where the window ends
        position = bisect_left(candidates, True, key=lambda point: not fits(close_code(window[:point])))  # noqa: FBT003
        beginning = close_code(window[: candidates[position - 1]]) if position else ""
        if beginning.strip():
            return beginning
    return None


def _word_ends(text: str) -> list[int]:
    return [match.start() for match in regex.finditer(r"(?<=\S)\s", text)]


def _grapheme_ends(text: str) -> list[int]:
    return [match.end() for match in regex.finditer(r"\X", text)]
