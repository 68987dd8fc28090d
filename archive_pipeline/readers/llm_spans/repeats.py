"""Texts that calls repeat from the call before, kept as what is new in them.

Programs log a whole request with each call, beside its messages: the history, descriptions of tools, parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from archive_pipeline.readers.json.nesting import as_json

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
        if span is None:
            return fields
        short = {name: self._short(name, item, span) for name, item in fields.items() if name != _ATTRIBUTES}
        inner = fields.get(_ATTRIBUTES)
        if isinstance(inner, dict):
            short[_ATTRIBUTES] = {name: self._short(name, item, span) for name, item in inner.items()}
        elif _ATTRIBUTES in fields:
            short[_ATTRIBUTES] = inner
        return short

    def _short(self, name: str, value: Any, span: str) -> Any:
        if not isinstance(value, str | dict | list) or len(value) == 0:
            return value
        text = value if isinstance(value, str) else as_json(value)
        if len(text) < _SHORTEST:
            return value
        before = self._last.get(name)
        self._last[name] = (span, text)
        self.size += len(text) - (len(before[1]) if before else 0)
        if before is None or type(before[1]) is not type(text):
            return value
        if before[1] == text:
            return {"as_in": before[0]}
        return _difference(before[0], before[1], text) if isinstance(text, str) else value


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
