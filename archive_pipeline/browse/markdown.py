"""Markdown of messages and documents as HTML that runs nothing and loads nothing.

Raw HTML stays text. An image becomes a link, since loading it would tell its server who reads what. Links lead to web
and mail addresses only. Headings go below those of the page they stand on. A text with something that is nested too
deeply for the parser is shown as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup, escape

from archive_pipeline.browse.addresses import show_addresses
from archive_pipeline.browse.citation_links import CITED, link_citations
from archive_pipeline.browse.formulas import keep_formulas
from archive_pipeline.browse.kept_text import keep_text

# Parsers drop what is nested more deeply. Quotes in quotes meet the default of 20; brackets that are never closed are
# read once for each level.
_MOST_NESTED_BLOCKS: Final = 200
_MOST_NESTED_BRACKETS: Final = 20
# A long address that is defined once may be used thousands of times.
_MOST_CHARACTERS_OF_ADDRESSES: Final = 2_000_000
_AS_WRITTEN: Final = Markup(
    '<p class="note">Shown as it is written: quotes or lists in it are nested too deeply to be shown as such.</p>\n'
    '<div class="plain" dir="auto">{}</div>\n'
)
_HEADING_OFFSET: Final = 2
_LOWEST_HEADING: Final = 6


RenderRule = Callable[..., str]


def to_html(markdown: str, *, breaks: bool = False, cited: Collection[int] = ()) -> Markup:
    """Return the HTML of a text; what is no Markdown is there as it is.

    Args:
        markdown: the text.
        breaks: whether lines end where the text ends them, as who writes in a chat means it; else paragraphs are
            filled, as documents mean it.
        cited: numbers of sources, to which citations become links.
    """
    parser, env = _parser(breaks=breaks), dict[str, Any]({CITED: cited})
    tokens = parser.parse(markdown, env)
    if any(token.level >= _MOST_NESTED_BLOCKS - 1 for token in tokens):
        return _AS_WRITTEN.format(markdown)
    # The parser escapes texts, and raw HTML is off.
    return Markup(parser.renderer.render(tokens, parser.options, env))  # noqa: S704


@cache
def _parser(*, breaks: bool) -> MarkdownIt:
    parser = _markdown(_MOST_NESTED_BLOCKS)
    parser.options["breaks"] = breaks
    parser.core.ruler.at("inline", partial(_inline, _markdown(_MOST_NESTED_BRACKETS)))
    # Before brackets with a backslash become text like others.
    parser.core.ruler.after("inline", "citations", link_citations)
    show_addresses(parser)  # before citations, whose links lead to places of the page
    parser.core.ruler.push("addresses", _addresses)
    keep_text(parser)
    parser.core.ruler.push("direction", _direction)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _reached(RendererHTML.code_block))
    parser.add_render_rule("table_open", _table)
    parser.add_render_rule("th_open", _cell)
    parser.add_render_rule("td_open", _cell)
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("heading_close", _heading)
    parser.render("a")  # lists of rules are made at their first use, which threads would do at once
    return parser


def _markdown(most_nesting: int) -> MarkdownIt:
    options = {"html": False, "maxNesting": most_nesting, "store_labels": True}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    keep_formulas(parser)
    return parser


def _inline(parser: MarkdownIt, state: StateCore) -> None:
    """Parse the texts of blocks."""
    for token in state.tokens:
        if token.type == "inline" and token.children is not None:
            parser.inline.parse(token.content, parser, state.env, token.children)


def _addresses(state: StateCore) -> None:
    """Leave out addresses and titles of links beyond a number of characters."""
    left = _MOST_CHARACTERS_OF_ADDRESSES
    for token in state.tokens:
        for child in token.children or ():
            left -= sum(len(str(value)) for value in child.attrs.values())
            if left < 0:
                child.attrs = {}


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


def _reached(render: RenderRule) -> RenderRule:
    """Return a rule for code that scrolls sideways: a keyboard reaches it, for which it needs a role and a name."""

    def rule(*given: Any) -> str:
        return f'<pre tabindex="0" role="group" aria-label="Code"{render(*given).removeprefix("<pre")}'

    return rule


def _fence(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
    """Render code below what stands beside the name of its language."""
    said = tokens[index].info.strip()
    note = f'<p class="note" dir="auto">{escape(said)}</p>\n' if len(said.split()) > 1 else ""
    return note + _reached(RendererHTML.fence)(self, tokens, index, options, env)


def _table(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
    tokens[index].attrSet("tabindex", "0")
    return self.renderToken(tokens, index, options, env)


def _cell(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
    """Render a cell: how its column is aligned is a class, since the policy of pages refuses styles in them."""
    token = tokens[index]
    style = token.attrs.pop("style", None)
    if style is not None:
        token.attrSet("class", str(style).replace("text-align:", "align-"))
    return self.renderToken(tokens, index, options, env)


def _heading(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Any) -> str:
    token = tokens[index]
    token.tag = f"h{min(int(token.tag[1:]) + _HEADING_OFFSET, _LOWEST_HEADING)}"
    return self.renderToken(tokens, index, options, env)
