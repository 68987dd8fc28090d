"""JSON text of values that are nested deeper than encoders go; nothing recurses.

What goes into a column of JSON is never that deep: readers keep what is below a depth as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from archive_pipeline.domain.records import JsonText
from archive_pipeline.text.sanitize import json_text


def deep_json_text(value: Any, counts: Counter[str]) -> str:
    """Return what ``json_text`` does, at any depth; ``null`` for None.

    Raises:
        ValueError: a value is part of itself.
    """
    pieces: list[str] = []
    around: set[int] = set()
    stack: list[tuple[int, Iterator[tuple[str, Any]], str]] = []
    below: Any = value
    while True:
        entries = _entries(below, counts)
        if entries is None:
            pieces.append(json_text(below, counts) or "null")
        elif id(below) in around:
            raise ValueError("a value that is part of itself is no JSON")
        else:
            around.add(id(below))
            pieces.append("{" if isinstance(below, dict) else "[")
            stack.append((id(below), entries, "}" if isinstance(below, dict) else "]"))
        while stack:
            entry = next(stack[-1][1], None)
            if entry is not None:
                break
            done, _, end = stack.pop()
            around.remove(done)
            pieces.append(end)
        else:
            return "".join(pieces)
        before, below = entry
        pieces.append(before)


def _entries(value: Any, counts: Counter[str]) -> Iterator[tuple[str, Any]] | None:
    """Return what stands before each entry of a container, and the entry; None of what is no container."""
    if isinstance(value, dict):
        names = (json_text(str(name), counts) for name in value)
        return (
            (f"{',' if number else ''}{name}:", item)
            for number, (name, item) in enumerate(zip(names, value.values(), strict=True))
        )
    if isinstance(value, list | tuple) and not isinstance(value, JsonText):
        return (("," if number else "", item) for number, item in enumerate(value))
    return None
