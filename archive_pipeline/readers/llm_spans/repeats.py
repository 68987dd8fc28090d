"""Texts that calls repeat from the call before, kept as what is new in them.

Programs log a whole request with each call, beside its messages: the history, descriptions of tools, parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from archive_pipeline.readers.json.nesting import as_held_json
from archive_pipeline.readers.json.parsing import parse_json

# Shorter ones are kept as they are.
_SHORTEST: Final = 256
# So many characters find where a text goes on, and so many places are tried.
_PROBE: Final = 200
_MAX_PLACES: Final = 8
_ATTRIBUTES: Final = "attributes"


class Repeats:
    """The last value of each name, and the span that had it.

    Attributes:
        size: characters that are held.
    """

    def __init__(self) -> None:
        self.size = 0
        self._last: dict[str, tuple[str, str | bytes]] = {}

    def shortened(self, fields: dict[str, Any], span: str | None) -> dict[str, Any]:
        """Returns what a span says, values that an earlier one has too in terms of that one's.

        ``{"as_in": span}`` is the value of that span. With ``pieces`` it is these, one behind the other: texts, and
        places of the first and behind the last character of what it has of the value of that span.
        """
        return fields if span is None else _each(fields, lambda name, item: self._short(name, item, span))

    def restored(self, fields: dict[str, Any], span: str | None) -> dict[str, Any]:
        """Returns what a span says of what ``shortened`` made of it, if all before it was given here in that order."""
        return fields if span is None else _each(fields, lambda name, item: self._restored(name, item, span))

    def _short(self, name: str, value: Any, span: str) -> Any:
        before = self._last.get(name)
        text = self._note(name, value, span)
        if text is None or before is None or type(before[1]) is not type(text):
            return value
        if before[1] == text:
            return {"as_in": before[0]}
        return _difference(before[0], before[1], text) if isinstance(text, str) else value

    def _restored(self, name: str, value: Any, span: str) -> Any:
        before = self._last.get(name)
        if before is not None and isinstance(value, dict) and value.get("as_in") == before[0]:
            value = _whole(before[1], value)
        self._note(name, value, span)
        return value

    def _note(self, name: str, value: Any, span: str) -> str | bytes | None:
        """Notes a value as the last of its name; returns its text, None of one that is kept as it is."""
        if not isinstance(value, str | dict | list) or len(value) == 0:
            return None
        text = value if isinstance(value, str) else as_held_json(value)
        if len(text) < _SHORTEST:
            return None
        before = self._last.get(name)
        self._last[name] = (span, text)
        self.size += len(text) - (len(before[1]) if before else 0)
        return text


def _each(fields: dict[str, Any], made: Callable[[str, Any], Any]) -> dict[str, Any]:
    """Returns fields, and those of the attributes in them, with other values."""
    found = {name: made(name, item) for name, item in fields.items() if name != _ATTRIBUTES}
    if _ATTRIBUTES in fields:
        inner = fields[_ATTRIBUTES]
        own = {name: made(name, item) for name, item in inner.items()} if isinstance(inner, dict) else inner
        found[_ATTRIBUTES] = own
    return found


def _whole(before: str | bytes, short: dict[str, Any]) -> Any:
    if isinstance(before, bytes):
        return parse_json(before)[0]
    pieces = short.get("pieces", [[0, len(before)]])
    return "".join(piece if isinstance(piece, str) else before[piece[0] : piece[1]] for piece in pieces)


def _difference(span: str, before: Any, text: str) -> Any:
    most = min(len(before), len(text))
    first = _longest(most, lambda size: before[:size] == text[:size])
    last = _longest(most - first, lambda size: size == 0 or before[-size:] == text[-size:])
    middle = text[first : len(text) - last]
    start, size = _shifted(before, middle, first)
    if first + size + last < len(text) / 2:
        return text
    end = len(before)
    pieces = ([0, first], [start, start + size], middle[size:], [end - last, end])
    return {"as_in": span, "pieces": [piece for piece in pieces if piece and (isinstance(piece, str) or _has(piece))]}


def _has(piece: list[int]) -> bool:
    return piece[0] < piece[1]


def _shifted(before: str, middle: str, first: int) -> tuple[int, int]:
    """Returns where what follows stands in the value before, and how much of it: a history was cut at its beginning."""
    best = (first, 0)
    if len(middle) < _PROBE:
        return best
    place = before.find(middle[:_PROBE], first)
    for _ in range(_MAX_PLACES):
        if place < 0:
            break
        start = place
        size = _longest(
            min(len(before) - start, len(middle)),
            lambda size, start=start: before[start : start + size] == middle[:size],  # type: ignore[misc]
        )
        best = max(best, (start, size), key=lambda found: found[1])
        place = before.find(middle[:_PROBE], start + 1)
    return best


def _longest(most: int, is_same: Callable[[int], bool]) -> int:
    """Returns the largest size up to which something is the same."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if is_same(middle) else (low, middle - 1)
    return low
