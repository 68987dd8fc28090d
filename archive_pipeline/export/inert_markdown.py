"""Markdown that runs nothing and loads nothing, wherever it is opened: texts of messages are anybody's.

Raw HTML is escaped, so that it is read as text. An image becomes a link, which nothing loads before it is followed,
unless it is a file beside the note. Code stays as it is, character by character.

The parser tells what is what. It reads the text as one without HTML, which the text then is, and says of each ``<`` and
``!`` what it is part of. Those of which it says nothing, as in what is nested too deeply, are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import accumulate
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.common.html_re import close_tag, open_tag
from markdown_it.rules_block.html_block import HTML_SEQUENCES
from markdown_it.rules_inline import StateInline, autolink, backtick, escape, image, link

_MARK: Final = re.compile("[<!]")
_LINE_END: Final = re.compile(r"\r\n?|\n")
_HARMFUL: Final = re.compile(r"<[a-zA-Z/!?]|!\[")
# Comments and the like by their beginnings alone: to look for the end of each is to read the rest each time.
_HTML: Final = re.compile(rf"<[!?]|{open_tag}|{close_tag}")
# HTML that ends a paragraph, and with it whatever a line of it is in the middle of.
_INTERRUPTING: Final = tuple(opening for opening, _, interrupts in HTML_SEQUENCES if interrupts)
_LOCAL: Final = re.compile(r"[\w.][^:\\]*|data:image/.*", re.DOTALL)
_BEFORE_ADDRESS: Final = re.compile(r"\]\([ \t\n]*")
_ESCAPES: Final = {"<": "&lt;", "!": "&#33;"}
# What becomes of a mark.
_UNKNOWN, _KEPT, _ESCAPED, _REMOVED = range(4)
_MOST_NESTED_BLOCKS: Final = 200
_MOST_NESTED_BRACKETS: Final = 20
_INERT: Final = "inert"
_LOADED: Final = "loaded"

Rule = Callable[[StateInline, bool], bool]


def inert(markdown: str) -> str:
    """Return a text that shows the same, and of which no reader of Markdown runs or loads anything."""
    if _HARMFUL.search(markdown) is None:
        return markdown
    pieces, position = [], 0
    for mark, fate in zip(_MARK.finditer(markdown), _fates(markdown), strict=True):
        if fate == _KEPT or (fate == _UNKNOWN and not _may_harm(markdown, mark.start())):
            continue
        pieces += [markdown[position : mark.start()], "" if fate == _REMOVED else _ESCAPES[mark[0]]]
        position = mark.end()
    return "".join([*pieces, markdown[position:]])


def _may_harm(text: str, at: int) -> bool:
    return text.startswith("![", at) or _HTML.match(text, at) is not None


def _fates(markdown: str) -> bytearray:
    """Return what becomes of each mark of a text.

    Marks are told by their number: what stands before a line in a quote or a list has none.
    """
    lines = _LINE_END.split(markdown)
    firsts = [*accumulate((len(_MARK.findall(line)) for line in lines), initial=0)]
    fates = bytearray(firsts[-1])
    read = dict[int, int]()  # of a line, in the cells of a table so far
    env: dict[str, Any] = {}
    for token in _block_parser().parse("\n".join(lines), env):
        if token.map is None:
            continue
        start, end = (firsts[min(line, len(lines))] for line in token.map)
        if token.type in ("fence", "code_block"):
            fates[start:end] = bytes([_KEPT]) * (end - start)
        elif token.type == "inline":
            own = _fates_of_content(token.content, env.get("references", {}))
            place = start + read.get(start, 0)
            fates[place : place + len(own)] = own
            read[start] = read.get(start, 0) + len(own)
    return fates


def _fates_of_content(content: str, references: Mapping[str, Any]) -> bytes:
    """Return what becomes of each mark of the text of a block."""
    if _HARMFUL.search(content) is None:
        return bytes([_KEPT]) * len(_MARK.findall(content))
    env: dict[str, Any] = {"references": references, _INERT: [], _LOADED: set()}
    parser = _inline_parser()
    parser.inline.tokenize(StateInline(content, parser, env, []))
    inert_ranges, breaking = sorted(env[_INERT]), _html_at_line_starts(content)
    fates, number = bytearray(), 0
    for mark in _MARK.finditer(content):
        at = mark.start()
        while number < len(inert_ranges) and inert_ranges[number][1] <= at:
            number += 1
        is_inert = number < len(inert_ranges) and inert_ranges[number][0] <= at
        if at in env[_LOADED]:
            fates.append(_ESCAPED if content[at - 1 : at] == "!" else _REMOVED)
        elif at in breaking or (not is_inert and _may_harm(content, at)):
            fates.append(_ESCAPED)
        else:
            fates.append(_KEPT)
    return bytes(fates)


def _html_at_line_starts(content: str) -> set[int]:
    found, start = set(), 0
    for line in content.split("\n"):
        own = line.lstrip(" \t")
        if own.startswith("<") and any(opening.search(own) for opening in _INTERRUPTING):
            found.add(start + len(line) - len(own))
        start += len(line) + 1
    return found


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 (the parser's)
        """Take any address: that of a file on another machine is one too."""
        return True


@cache
def _block_parser() -> MarkdownIt:
    parser = _Parser("commonmark", {"html": False, "maxNesting": _MOST_NESTED_BLOCKS}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _inline_parser() -> MarkdownIt:
    parser = _Parser("commonmark", {"html": False, "maxNesting": _MOST_NESTED_BRACKETS})
    rules = parser.inline.ruler
    for name, rule in (("backticks", backtick), ("escape", escape), ("autolink", autolink)):
        rules.at(name, _noting(rule))
    rules.at("link", _link)
    rules.at("image", _image)
    return parser


def _noting(rule: Rule) -> Rule:
    """Return a rule that notes where it was followed: nothing there is HTML or an image."""

    def follow(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's)
        start = state.pos
        is_followed = rule(state, silent)
        if is_followed and not silent:
            state.env[_INERT].append((start, state.pos))
        return is_followed

    return follow


def _link(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's)
    """Note the address and title of a link; its text is read as any."""
    start = state.pos
    is_link = link(state, silent)
    if is_link and not silent:
        label_end = state.md.helpers.parseLinkLabel(state, start, disableNested=True)
        state.env[_INERT].append((label_end, state.pos))
    return is_link


def _image(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's)
    """Read an image as the link that it becomes; note what becomes of its mark."""
    start = state.pos
    if not image(state, silent=True):
        return False
    if silent:
        return True
    end, state.pos = state.pos, start + 1
    state.pending += "!"
    if state.src[end - 1] == ")" and _LOCAL.fullmatch(_address(state, start)):
        state.env[_INERT].append((start, start + 1))
    elif state.src[end : end + 1] != ":":  # a link at the beginning of a line would be the definition of one
        state.env[_LOADED].add(start)
    return True


def _address(state: StateInline, start: int) -> str:
    """Return the address of an image that names it itself."""
    label_end = state.md.helpers.parseLinkLabel(state, start + 1)
    opening = _BEFORE_ADDRESS.match(state.src, label_end)
    return "" if opening is None else state.md.helpers.parseLinkDestination(state.src, opening.end(), state.posMax).str
