"""Arguments of calls as values: what a reader of JSON makes of them, without numbers that it refuses or rounds."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

import orjson

_LONG_NUMBER: Final = re.compile(r"[0-9]{19}|[0-9][eE]")
_LEAST: Final = -(1 << 63)
_MOST: Final = (1 << 64) - 1
# Longer ones are in no range, and cost the square of their length.
_MOST_CHARACTERS: Final = 20


def parse_arguments(text: str) -> Any:
    """Return the value of JSON text; integers of more than 64 bits and numbers that no double holds are text.

    Readers of datasets refuse such a number, and with it the whole file.
    """
    if not _LONG_NUMBER.search(text):
        return orjson.loads(text)
    return json.loads(text, parse_int=_integer, parse_float=_float)


def _integer(digits: str) -> int | str:
    if len(digits) > _MOST_CHARACTERS:
        return digits
    value = int(digits)
    return value if _LEAST <= value <= _MOST else digits


def _float(digits: str) -> float | str:
    value = float(digits)
    return value if math.isfinite(value) else digits
