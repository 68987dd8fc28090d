"""The blocks of a Markdown text: fenced code, tables, headings, list items, paragraphs. The one place that knows them.

Chunks, sentences, excerpts and counts of elements follow it. It goes through a text once, line by line, and has an
answer for every text: what looks like no block is prose. Documents are parsed by markdown-it-py when they are read
(``documents.structure``), which takes 16 times as long or more (decision record 12).

A fence is a line that begins with three or more backticks or tildes. It closes at a line of at least as many of the
same character and nothing else, indented by at most three spaces, counted from where the content of its list item
begins, or by no more than the opening: one that is indented further is part of the code. A fence that is never closed
goes on to the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
# With the line end before them.
_BLANK_LINES: Final = re.compile(r"\n(?:[^\S\n]*\n)+")
_CONTENT: Final = re.compile(r"[^\n]+")
_FENCE: Final = re.compile(r"^(?P<indentation>[^\S\n]*)(?P<mark>`{3,}|~{3,})(?P<rest>[^\n]*)$", re.MULTILINE)
# Indented by more than three spaces, a line is code or belongs to a list item.
_OUTER_SPACES: Final = 3
_TAB_STOP: Final = 4
_OUTER_INDENTATION: Final = re.compile(r" {0,3}")
_TABLE_ROW: Final = re.compile(r" {0,3}\|.*\|\s*")
_HEADING: Final = re.compile(r"^ {0,3}#{1,6}(?:\s|$)", re.MULTILINE)
_TABLE: Final = re.compile(r"^ {0,3}\|?(?:[^\S\n]*:?-+:?[^\S\n]*\|)+(?:[^\S\n]*:?-+:?[^\S\n]*)?$", re.MULTILINE)
# A picture if the last parenthesis is there. Where it or a bracket is missing, all beginnings that were passed lack it.
_PICTURE: Final = re.compile(r"!\[[^\]\n]*+(?:\]\([^)\n]*+(\)?))?")

# In paragraphs also what is quoted or nested counts.
_NESTED_HEADING: Final = re.compile(r"[ \t>]*#{1,6}[ \t]")
_NESTED_ROW: Final = re.compile(r"[ \t>]*\|")
_MARKER: Final = re.compile(r"(?:[ \t]*>)*[ \t]*(?:(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_ITEM: Final = re.compile(r"(?:[ \t]*>)*[ \t]*(?:[-*+•]|[0-9]{1,9}[.)])[ \t]")
# A line that is not blank, and how an item of a list begins that has its content on that line.
_INDENTED: Final = re.compile(
    r"^(?P<indentation>[ \t]*)(?P<marker>(?:[-*+]|[0-9]{1,9}[.)])[ \t]{1,4})?\S", re.MULTILINE
)

Kind = Literal["code", "table", "prose"]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Characters ``start`` to ``end``, fences included; ``closing`` is the line missing at the end, if it is."""

    start: int
    end: int
    closing: str | None = None


@dataclass(frozen=True, slots=True)
class Structure:
    """How many Markdown elements a text has, code left out."""

    headings: int
    tables: int
    pictures: int


def code_blocks(text: str) -> list[CodeBlock]:
    """Return the fenced code blocks of a text, at any indentation: models nest them in lists."""
    return list(_fenced(text, _is_nested_opening))


def code_blocks_in(text: str, start: int, end: int) -> Iterator[CodeBlock]:
    """Yield the fenced code blocks of a stretch that begins outside of any; what is around it is not looked at."""
    return _fenced_in(text, _is_nested_opening, start, end)


def close_code(text: str) -> str:
    """Return the text with its last code block closed, if it was left open."""
    blocks = code_blocks(text)
    if not blocks or blocks[-1].closing is None:
        return text
    return f"{text}{'' if text.endswith(chr(10)) else chr(10)}{blocks[-1].closing}"


def blocks(text: str) -> Iterator[tuple[int, int, Kind]]:
    """Yield start, end and kind of each outer block; together they are the text.

    Blank lines belong to the block before them, those at the beginning to the first one. A blank line ends a block.
    """
    if "|" not in text and not _has_fence(text):
        yield from _paragraphs_alone(text)
        return
    kind: Kind | None = None
    start, was_blank = 0, False
    for at, new in _pieces(text):
        if new is None:
            was_blank = True
            continue
        if new != kind or was_blank or new == "code":
            if kind is not None:
                yield start, at, kind
                start = at
            kind = new
        was_blank = False
    if kind is not None:
        yield start, len(text), kind


def _paragraphs_alone(text: str) -> Iterator[tuple[int, int, Kind]]:
    """Yield the blocks of a text that has paragraphs only."""
    start = 0
    for blank in _BLANK_LINES.finditer(text, len(text) - len(text.lstrip()), len(text.rstrip())):
        yield start, blank.end(), "prose"
        start = blank.end()
    if not text[start:].isspace() and start < len(text):
        yield start, len(text), "prose"


def _has_fence(text: str) -> bool:
    return "```" in text or "~~~" in text


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of paragraphs, list items without their marker, and table rows; no code, no headings."""
    position = 0
    for block in [*code_blocks(text), CodeBlock(len(text), len(text))]:
        yield from _paragraphs_of_prose(text, position, block.start)
        position = block.end


def structure_of(text: str) -> Structure:
    """Count headings, tables and pictures."""
    prose, position = "", 0
    for block in [*_fenced(text, _is_outer_opening), CodeBlock(len(text), len(text))]:
        prose += text[position : block.start]
        position = block.end
    return Structure(len(_HEADING.findall(prose)), len(_TABLE.findall(prose)), _PICTURE.findall(prose).count(")"))


def _fenced(text: str, is_opening: Callable[[re.Match[str]], bool]) -> Iterator[CodeBlock]:
    if _has_fence(text):
        yield from _fenced_in(text, is_opening, 0, len(text))


def _fenced_in(text: str, is_opening: Callable[[re.Match[str]], bool], start: int, end: int) -> Iterator[CodeBlock]:
    opening: re.Match[str] | None = None
    items = _Items(text, start)
    for line in _FENCE.finditer(text, start, end):
        if opening is None:
            opening = line if is_opening(line) else None
        elif _closes(opening, line, items):
            yield CodeBlock(opening.start(), line.end())
            opening = None
    if opening is not None:
        # The opening's indentation: a reader to whom that line is no fence takes the closing for none either.
        yield CodeBlock(opening.start(), end, opening["indentation"] + opening["mark"])


class _Items:
    """The list items that are open, followed up to a fence only when they decide: most texts need none."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._position = start
        self._columns: list[int] = []

    def column(self, opening: re.Match[str]) -> int:
        """Return where the content of the item begins that a fence stands in, 0 for none; fences in their order."""
        for line in _INDENTED.finditer(self._text, self._position, opening.start()):
            self._leave(_spaces(line))
            if line["marker"]:
                self._columns.append(len((line["indentation"] + line["marker"]).expandtabs(_TAB_STOP)))
        self._position = max(self._position, opening.start())
        self._leave(_spaces(opening))
        return self._columns[-1] if self._columns else 0

    def _leave(self, spaces: int) -> None:
        while self._columns and self._columns[-1] > spaces:
            self._columns.pop()


def _closes(opening: re.Match[str], line: re.Match[str], items: _Items) -> bool:
    if not line["mark"].startswith(opening["mark"]) or line["rest"].strip():
        return False
    spaces, most = _spaces(line), max(_OUTER_SPACES, _spaces(opening))
    # Only in a list item can one close that is indented further than both.
    return spaces <= most or (spaces <= most + _OUTER_SPACES and spaces <= items.column(opening) + _OUTER_SPACES)


def _spaces(line: re.Match[str]) -> int:
    return len(line["indentation"].expandtabs(_TAB_STOP))


def _is_nested_opening(line: re.Match[str]) -> bool:
    # With backticks after the mark it is code inside a line.
    return not line["indentation"].strip(" \t") and (line["mark"][0] == "~" or "`" not in line["rest"])


def _is_outer_opening(line: re.Match[str]) -> bool:
    return _OUTER_INDENTATION.fullmatch(line["indentation"]) is not None and "`" not in line["rest"]


def _pieces(text: str) -> Iterator[tuple[int, Kind | None]]:
    """Yield where each line begins and what it is, None for a blank one; a fenced code block is one piece."""
    position = 0
    for block in [*_fenced(text, _is_outer_opening), CodeBlock(len(text), len(text))]:
        for line in _LINE.finditer(text, position, block.start):
            content = line.group()
            is_row = "|" in content and _TABLE_ROW.fullmatch(content) is not None
            yield line.start(), None if content.isspace() else "table" if is_row else "prose"
        if block.start < len(text):
            yield block.start, "code"
        # The closing fence's line end belongs to it.
        position = min(block.end + 1, len(text))


def _paragraphs_of_prose(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    current: tuple[int, int] | None = None
    for line in _CONTENT.finditer(text, start, end):
        content = line.group()
        row, heading = _NESTED_ROW.match(content), _NESTED_HEADING.match(content)
        starts_anew = row or heading or _ITEM.match(content) or not content.strip()
        if current is not None and line.start() == current[1] + 1 and not starts_anew:
            current = (current[0], line.end())
            continue
        if current is not None:
            yield current
        current = None
        if row:
            yield line.span()
        elif content.strip() and not heading:
            current = (line.start() + _marker_length(content), line.end())
    if current is not None:
        yield current


def _marker_length(line: str) -> int:
    marker = _MARKER.match(line)
    return marker.end() if marker else 0
