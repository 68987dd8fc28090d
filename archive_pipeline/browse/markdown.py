"""Markdown of messages and documents as HTML that runs nothing and loads nothing.

Raw HTML stays text. An image becomes a link, since loading it would tell its server who reads what. Headings go below
those of the page they stand on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup, escape

# Parsers drop what is nested more deeply; the default of 20 is met by quotes in quotes.
_MOST_NESTING: Final = 200
_HEADING_OFFSET: Final = 2
_LOWEST_HEADING: Final = 6


def to_html(markdown: str) -> Markup:
    """Return the HTML of a text; what is no Markdown is there as it is."""
    return Markup(_parser().render(markdown))  # noqa: S704 (the parser escapes texts, and raw HTML is off)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _MOST_NESTING}).enable(["table", "strikethrough"])
    parser.core.ruler.push("direction", _direction)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("heading_close", _heading)
    return parser


def _direction(state: StateCore) -> None:
    """Have a browser tell the direction of each block by its text: answers mix languages."""
    for token in state.tokens:
        if token.level == 0 and token.nesting == 1:
            token.attrSet("dir", "auto")


def _image(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: Any) -> str:
    token = tokens[index]
    source = str(token.attrs.get("src", ""))
    label = escape(token.content or "image")
    return f'<a href="{escape(source)}" rel="noopener noreferrer nofollow">{label}</a>' if source else str(label)


def _link(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    return self.renderToken(tokens, index, options, env)


def _heading(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
    token = tokens[index]
    token.tag = f"h{min(int(token.tag[1:]) + _HEADING_OFFSET, _LOWEST_HEADING)}"
    return self.renderToken(tokens, index, options, env)
