"""One JSON text to a value, with the liberties that people's archives need; which ones were taken is said.

Reading files piece by piece is ``json_stream``'s part.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

LENIENT_JSON = "lenient_json"
INVALID_UTF8 = "invalid_utf8"


def parse_json(raw: bytes) -> tuple[Any, tuple[str, ...]]:
    """Returns the value of JSON text and the names of the liberties taken to read it.

    What the strict, fast parser refuses but people's archives hold is read all the same: lone surrogates,
    control characters inside strings, NaN and infinity (as null), bytes that are not UTF-8 (replaced).

    Raises:
        ValueError: if it is not JSON, or is nested too deeply.
    """
    try:
        return orjson.loads(raw), ()
    except orjson.JSONDecodeError:
        return _parse_lenient(raw)


def _parse_lenient(raw: bytes) -> tuple[Any, tuple[str, ...]]:
    warnings: tuple[str, ...] = (LENIENT_JSON,)
    try:
        text = raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
        warnings = (LENIENT_JSON, INVALID_UTF8)
    try:
        return json.loads(text, strict=False, parse_constant=lambda _: None), warnings
    except RecursionError:
        msg = "nested too deeply"
        raise ValueError(msg) from None
