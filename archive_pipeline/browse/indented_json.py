"""JSON of tools, with a line for each value.

Only white space between the values changes: digits, keys and characters stay as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import orjson

_OPENING: Final = ("{", "[")
_CLOSING: Final = ("}", "]")
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[][{}:,]|[^][{}:,"\s]+')
# What is nested more deeply is indented no further: a text of brackets would become a page of gigabytes.
_MOST_LEVELS: Final = 20


def indented(text: str) -> str:
    """Return an object or array of JSON with a line for each value, any other text as it is."""
    return "".join(_pieces(text)) if _is_object_or_array(text) else text


def _is_object_or_array(text: str) -> bool:
    if not text.lstrip().startswith(_OPENING):
        return False
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def _pieces(text: str) -> Iterator[str]:
    level, before = 0, ""
    for found in _TOKEN.finditer(text):
        token = found[0]
        level -= token in _CLOSING
        yield _space(before, token, level)
        yield token
        level += token in _OPENING
        before = token


def _space(before: str, token: str, level: int) -> str:
    """Return what stands between two tokens."""
    if before == ":":
        return " "
    begins, ends = before in _OPENING, token in _CLOSING
    if before == "," or begins != ends:  # an empty object or array does both
        return "\n" + "  " * min(level, _MOST_LEVELS)
    return ""
