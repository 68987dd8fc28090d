r"""Marks that ChatGPT writes into an answer for its pages to draw, and what readers see of a text with them.

A mark is a kind and fields between characters of private use: ``\ue200cite\ue202turn0search0\ue201``. Pages of ChatGPT
draw links, cards and pictures in its place: those have words only where the mark itself does. LibreChat has its models
write what is cited without a kind, a single one without brackets, and ``\ue203…\ue204`` around what a page says; most
write the escapes of these characters, each of six, and not the characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any, Final, NamedTuple

import orjson

_OPENING: Final = "\ue200"
_SEPARATOR: Final = "\ue202"
_CLOSING: Final = "\ue201"
# Texts without any of them have no marks, and cost nothing more. The last one begins an escape.
SIGNS: Final = (_OPENING, _SEPARATOR, "\\ue20")
_MARK: Final = re.compile(
    f"{_OPENING}(?P<kind>[a-z0-9_]*)(?:{_SEPARATOR}(?P<fields>[^{_OPENING}{_CLOSING}]*))?{_CLOSING}"
    rf"|(?:{_SEPARATOR}|\\ue202)turn\d+[a-z]+\d+"
    r"|\\ue200(?:\\ue202turn\d+[a-z]+\d+)+\\ue201"
    r"|\\ue203(?P<quoted>[^\\]*)\\ue204"
    "|\ue203(?P<said>[^\ue200-\ue206]*)\ue204"
    # What an answer that was cut off ends with.
    rf"|{_OPENING}[a-z0-9_]*(?:{_SEPARATOR}[^{_OPENING}{_CLOSING}\s]*)?\Z"
)
_BLANKS: Final = re.compile(r"\s*")
_ADDRESS: Final = re.compile(r"https?://[^\s()<>]+")


class _Piece(NamedTuple):
    """A part of a text, by its offsets, and what readers see of it: a mark's words, or the part as it is."""

    start: int
    end: int
    shown: str


class Unmarked:
    """A text as readers see it, with the places of its characters in the text that has the marks."""

    def __init__(self, marked: str) -> None:
        self._pieces = [piece for piece in _pieces(marked) if piece.shown]
        self._starts = [0, *accumulate(len(piece.shown) for piece in self._pieces)]
        self.text = "".join(piece.shown for piece in self._pieces)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the marked text a part of this one begins and ends, a mark it has words of included."""
        return self._place(start)[0], self._place(end - 1)[1]

    def _place(self, position: int) -> tuple[int, int]:
        """Return start and end of what a character stands for: itself, or a mark, which is longer than its words."""
        number = bisect_right(self._starts, position) - 1
        piece = self._pieces[number]
        if len(piece.shown) < piece.end - piece.start:
            return piece.start, piece.end
        place = piece.start + position - self._starts[number]
        return place, place + 1


def has_marks(text: str) -> bool:
    """Tell whether there may be marks in a text."""
    return any(sign in text for sign in SIGNS)


def without_marks(text: str) -> str:
    """Return a text as readers see it: marks with their words, those without any gone with the blank before them."""
    return "".join(piece.shown for piece in _pieces(text)) if has_marks(text) else text


def _pieces(text: str) -> Iterator[_Piece]:
    done, is_beginning = 0, True
    for mark in _MARK.finditer(text):
        shown = _words(mark)
        kept = text[done : mark.start()]
        if not shown:
            # Of a mark on a line of its own no empty line stays.
            kept = kept.rstrip() if text[mark.end() : mark.end() + 1] in ("", "\n") else kept.rstrip(" \t")
        is_beginning = is_beginning and not (kept or shown)
        yield _Piece(done, done + len(kept), kept)
        yield _Piece(mark.start(), mark.end(), shown)
        done = mark.end()
        if is_beginning and (blanks := _BLANKS.match(text, done)):
            done = blanks.end()
    yield _Piece(done, len(text), text[done:])


def _words(mark: re.Match[str]) -> str:
    """Return what readers see of a mark in a line of text."""
    said = mark["said"] if mark["said"] is not None else mark["quoted"]
    if said is not None:
        return said
    words = _WORDS.get(mark["kind"] or "")
    return "" if words is None else words(mark["fields"] or "")


def _name(fields: str) -> str:
    """Return the name in an array: it stands between its category and what tells it from others of the name."""
    value = _parsed(fields)
    return fields if value is None else _second(value)


def _second(value: Any) -> str:
    return value[1] if isinstance(value, list) and len(value) > 1 and isinstance(value[1], str) else ""


def _names(fields: str) -> str:
    value = _parsed(fields)
    chosen = value.get("selections") if isinstance(value, dict) else None
    return ", ".join(filter(None, map(_second, chosen if isinstance(chosen, list) else ())))


def _link(fields: str) -> str:
    """Return the words of a link, with its address where that is none of what a search found."""
    words, _, target = fields.partition(_SEPARATOR)
    return f"[{words}]({target})" if words and _ADDRESS.fullmatch(target) else words


def _formula(fields: str) -> str:
    """Return the formula that a widget draws; other widgets have no words."""
    value = _parsed(fields)
    for name, drawn in value.items() if isinstance(value, dict) else ():
        if "math" in name and isinstance(drawn, dict) and isinstance(drawn.get("content"), str):
            return f"$${drawn['content']}$$"
    return ""


def _parsed(fields: str) -> Any:
    """Return the JSON that a mark has; None if it is none."""
    try:
        return orjson.loads(fields)
    except orjson.JSONDecodeError:
        return None


_WORDS: Final[Mapping[str, Callable[[str], str]]] = {
    "entity": _name,
    "product": _name,
    "product_entity": _name,
    "products": _names,
    "url": _link,
    "link_title": _link,
    "genui": _formula,
}
