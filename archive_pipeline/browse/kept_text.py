"""Text that a parser of Markdown leaves off the page, and that a reader of a conversation needs all the same.

``[INFO]: started`` is the definition of an address to the parser. Here only web and mail addresses are defined, and a
definition that no link uses stands as it is written. Cells beyond the columns of a table stand in its last column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, reference, table
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import escape

_DEFINITION: Final = re.compile(
    r"""
    \[ (?:[^][\\]|\\.){1,999} \]: [ \t]*
    <?(?:https?|mailto):\S+
    (?:[ \t]+ (?:"[^"]*"|'[^']*'|\([^()]*\)))?
    [ \t]* $
    """,
    re.VERBOSE | re.IGNORECASE,
)


def keep_text(parser: MarkdownIt) -> None:
    """Give a parser the rules that leave nothing out, after those that change addresses of links."""
    parser.options["inline_definitions"] = True
    # A definition ends a paragraph: the line above it may look like one.
    parser.block.ruler.at("reference", _definition, {"alt": ["paragraph"]})
    parser.block.ruler.at("table", _whole_table, {"alt": ["paragraph", "reference"]})
    parser.core.ruler.push("used_definitions", _used_definitions)
    parser.add_render_rule("definition", _unused_definition)


def _definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the parser's)
    """Read a line that is the definition of an address, and keep how it is written."""
    if not _DEFINITION.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start]):
        return False
    is_definition = reference(state, start, end, silent)
    if is_definition and not silent:
        state.tokens[-1].content = state.getLines(start, state.line, state.blkIndent, keepLastLF=False)
    return is_definition


def _used_definitions(state: StateCore) -> None:
    """Hide the definitions whose address a link has: of several with one label the first."""
    children = [child for token in state.tokens for child in token.children or ()]
    used = {child.meta.get("label") for child in children if child.attrs}
    for token in state.tokens:
        if token.type == "definition":
            token.hidden = token.meta["id"] in used
            used.discard(token.meta["id"])


def _unused_definition(
    _self: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: Any
) -> str:
    token = tokens[index]
    return "" if token.hidden else f'<p dir="auto">{escape(token.content)}</p>\n'


def _whole_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the parser's)
    """Read a table, and what its rows have beyond their last column."""
    before = len(state.tokens)
    if not table(state, start, end, silent):
        return False
    tokens = state.tokens[before:]
    columns = sum(token.type == "th_open" for token in tokens)
    for cell, _, following in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if following.type == "tr_close" and cell.map is not None:
            further = _cells(state, cell.map[0])[columns:]
            cell.content = " | ".join([cell.content, *further])
    return True


def _cells(state: StateBlock, line: int) -> list[str]:
    """Return the cells of a row, as the parser splits it."""
    text = state.getLines(line, line + 1, state.sCount[line], keepLastLF=False).strip()
    cells = escapedSplit(text)
    return [cell.strip() for cell in cells[not cells[0] : len(cells) - (not cells[-1])]]
