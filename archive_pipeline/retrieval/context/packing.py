"""Which sources go into a context, and how much of them: the budget holds for the text that is delivered.

Sources are taken in order. One that does not fit is skipped, and a later, smaller one may fill. Only while the context
is empty is a source shortened, to a part of its page that fits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from archive_pipeline.retrieval.context.documents import SourceDocument
from archive_pipeline.retrieval.context.excerpts import excerpt
from archive_pipeline.retrieval.context.rendering import SEPARATOR, render_source


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

    def add(self, source: SourceDocument, snippets: Sequence[str] = ()) -> bool:
        """Take the source, shortened if it is the first and too large; return whether it was taken.

        ``snippets`` are what the search found in it: a shortened one has the first of them that is there if it fits.
        """
        block = render_source(source, len(self.sources) + 1)
        # Counters that split text before a header, as tokenizers do, count the parts as the whole; finish() makes sure.
        used = self._used + self._count(SEPARATOR + block if self._blocks else block)
        if used > self._max_tokens:
            shortened = None if self._blocks else self._shortened(source, snippets)
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

    def _shortened(self, source: SourceDocument, snippets: Sequence[str]) -> SourceDocument | None:
        def fits(content: str) -> bool:
            return self._count(render_source(replace(source, markdown_content=content), 1)) <= self._max_tokens

        content = excerpt(source.markdown_content, snippets, fits)
        return None if content is None else replace(source, markdown_content=content, content_truncated=True)
