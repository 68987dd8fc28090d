"""Snippets of search results as HTML: plain text, with the words that were found marked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup

from archive_pipeline.text.plain_markdown import plain_line


def marked(snippet: str, words: re.Pattern[str] | None) -> Markup:
    """Return a snippet without marks of Markdown, each place of the words in ``<mark>``."""
    return Markup("").join(_pieces(plain_line(snippet), words))


def _pieces(text: str, words: re.Pattern[str] | None) -> Iterator[str]:
    """Yield texts, which are escaped where they are joined, and marks."""
    position = 0
    for found in words.finditer(text) if words is not None else ():
        yield text[position : found.start()]
        yield Markup("<mark>{}</mark>").format(found[0])
        position = found.end()
    yield text[position:]
