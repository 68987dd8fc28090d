"""A line of Markdown as people read it, without its marks: what is cut out of a text has marks without a partner."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Where lines are joined, marks of blocks stand within one. A dash between words is mostly a dash, and a star between
# letters or numbers a product.
_MARKS: Final = re.compile(
    r"""
    (?:^|(?<=\s)) (?:
        \|? (?:\s*:?-{2,}:?\s*\|)+ (?:\s*:?-{2,}:?)?    # the rule below the head of a table
        | \|+ | \#{1,6}                                 # a bar of a table, a heading
        | \* (?=\s+(?:[^\W\d_]{2}|$))                   # a bullet
    ) (?=\s|$)
    | ^[->]\s                                           # a bullet or a quote that the line begins with
    | (?:^|(?<=[\s(…])) \*{2,} | \*{2,} (?=[\s.,;:!?)…]|$)  # what is bold begins or ends outside
    | ~{3,}\w* | `{3,}\w*                               # a fence
    """,
    re.VERBOSE,
)
_BREAKS: Final = frozenset({"softbreak", "hardbreak"})


def plain_line(markdown: str) -> str:
    """Return a line without marks of Markdown: of links and pictures their texts, of code what it is."""
    [line] = _parser().parseInline(markdown)
    return " ".join("".join(_texts(line.children or ())).split())


def _texts(tokens: Iterable[Token]) -> Iterable[str]:
    for token in tokens:
        if token.type == "text":
            yield _MARKS.sub(" ", token.content)
        elif token.type in _BREAKS:
            yield " "
        else:
            # Code, the text of a picture, or nothing.
            yield token.content


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("strikethrough")
