r"""Formulas in TeX stay as they are written: a parser of Markdown takes their signs for emphasis, lists and headings.

A formula stands between ``\(`` and ``\)``, ``\[`` and ``\]``, ``$$`` and ``$$``, or ``$`` and ``$``. Lines of one with
several lines begin no blocks, so that it is found before the parser looks for blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline

_OPENING: Final = re.compile(r"\\[(\[]|\$\$|(?<!\w)\$(?=[^\s${'\"/,.:;)])")
_RESTS: Final = {
    "\\(": re.compile(r".*?\\\)", re.DOTALL),
    "\\[": re.compile(r".*?\\\]", re.DOTALL),
    "$$": re.compile(r".*?\$\$", re.DOTALL),
    # As pandoc has it: "$5 and $6" are prices. Nor do variables of a shell end one.
    "$": re.compile(r"(?:\\.|[^\\`$])+(?<!\s)\$(?![\w{(])", re.DOTALL),
}
_DOLLAR: Final = "$"
_BRACKET: Final = re.compile(r"(?<!\\)[()\[\]{}]")
_BRACKETS: Final = {")": "(", "]": "[", "}": "{"}
_NO_TEX: Final = ("](", "**")
_CLOSINGS: Final = {"\\[": "\\]", "$$": "$$"}
# Behind marks of quotes and lists, or at the end of a line. "$$$" is no sign but a price level.
_FIRST_LINE: Final = re.compile(r"(?:[\s>]|(?:[-*+]|\d{1,9}[.)])\s)*(\\\[|\$\$(?!\$))|.*(?<!\\)(\\\[)(?=\s*$)")
_MARK: Final = re.compile(r">|(?:[-*+]|\d{1,9}[.)])\s")
_LAST_LINE: Final = {"\\]": re.compile(r".*\\\].*"), "$$": re.compile(r"[^$]*\$\$[\s.,;:]*")}
_FENCES: Final = ("```", "~~~")
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")


class _Opened(NamedTuple):
    """A formula that does not end in the line where it begins."""

    line: int
    closing: str
    is_alone: bool  # nothing stands behind the opening sign: the formula may have blank lines

    def ends_with(self, line: str) -> bool:
        return not self.is_alone or _LAST_LINE[self.closing].fullmatch(line) is not None


def keep_formulas(parser: MarkdownIt) -> None:
    """Give a parser the rules for formulas."""
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.core.ruler.after("normalize", "long_formulas", _find_long_formulas)
    # After the rules for lists and quotes, whose marks may stand before a formula.
    parser.block.ruler.before(
        "lheading", "long_formula", _long_formula, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _formula(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's)
    """Read a formula within a paragraph."""
    opening = _OPENING.match(state.src, state.pos)
    unclosed = state.env.setdefault("unclosed_formulas", set())
    if opening is None or (state.src, opening[0]) in unclosed:
        return False
    rest = _RESTS[opening[0]].match(state.src, opening.end())
    if rest is None and opening[0] != _DOLLAR:
        unclosed.add((state.src, opening[0]))  # nor does any later one of the text end
    if rest is None or rest.end() > state.posMax or (opening[0] == _DOLLAR and not _may_be_tex(rest[0][:-1])):
        return False
    if not silent:
        token = state.push("code_inline", "code", 0)
        token.content = state.src[state.pos : rest.end()]
        token.attrSet("class", "formula")
    state.pos = rest.end()
    return True


def _may_be_tex(text: str) -> bool:
    """Tell whether what stands between two dollars could be a formula: prices and variables leave brackets open."""
    return not any(sign in text for sign in _NO_TEX) and _closes_its_brackets(text)


def _closes_its_brackets(text: str) -> bool:
    opened: list[str] = []
    for sign in _BRACKET.findall(text):
        if sign not in _BRACKETS:
            opened.append(sign)
        elif not opened or opened.pop() != _BRACKETS[sign]:
            return False
    return not opened


def _find_long_formulas(state: StateCore) -> None:
    state.env["long_formulas"] = dict(_long_formulas(state.src.split("\n")))


def _long_formulas(lines: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each formula with several lines."""
    opened: _Opened | None = None
    is_open_in_paragraph = False
    for number, line in enumerate(lines):
        if _ends_all(line, opened):
            opened, is_open_in_paragraph = None, False
        elif opened is None:
            opened = None if is_open_in_paragraph else _opened(number, line)
            is_open_in_paragraph ^= opened is None and _CODE.sub("", line).count("$$") % 2 == 1
        elif opened.closing in line:
            if opened.ends_with(line):
                yield opened.line, number
            opened = None


def _ends_all(line: str, opened: _Opened | None) -> bool:
    is_blank = not line.strip("> \t")
    return line.lstrip("> \t").startswith(_FENCES) or (is_blank and not (opened and opened.is_alone))


def _opened(number: int, line: str) -> _Opened | None:
    found = _FIRST_LINE.match(line)
    if found is None:
        return None
    closing, rest = _CLOSINGS[found[1] or found[2]], line[found.end() :]
    return None if closing in rest else _Opened(number, closing, is_alone=not rest.strip())


def _long_formula(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the parser's)
    """Read the lines of a formula as a paragraph that stands apart, also in a list whose items have no others."""
    last = state.env["long_formulas"].get(start)
    if last is None or last >= end or _leaves_block(state, start, last):
        return False
    if silent:  # an item of the list that goes on has its mark before the formula
        return _MARK.match(state.src, state.bMarks[start] + state.tShift[start]) is None
    state.line = last + 1
    state.push("formula_open", "p", 1).map = [start, state.line]
    token = state.push("inline", "", 0)
    token.content = state.getLines(start, state.line, state.blkIndent, keepLastLF=False).strip()
    token.map, token.children = [start, state.line], []
    state.push("formula_close", "p", -1)
    return True


def _leaves_block(state: StateBlock, start: int, last: int) -> bool:
    """Tell whether lines of a formula stand outside the quote or list that its first line is in."""
    indentation = min(state.blkIndent, state.sCount[start])
    return any(state.sCount[line] < indentation and not state.isEmpty(line) for line in range(start, last + 1))
