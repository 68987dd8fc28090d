"""One JSON text to a value, with the liberties that people's archives need; which ones were taken is said.

Reading files piece by piece is ``json.stream``'s part.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import orjson

from archive_pipeline.readers.json.structure import extent_of, fold_deep, has_all_of

LENIENT_JSON = "lenient_json"
INVALID_UTF8 = "invalid_utf8"
DEEP_JSON_AS_TEXT = "deep_json_as_text"
DUPLICATE_KEY = "duplicate_key"
# The parsers, the encoder and PostgreSQL have bounds of their own (the lowest is 254), which leave room for rows.
MAX_DEPTH = 200


def parse_json(raw: bytes) -> tuple[Any, tuple[str, ...]]:
    """Returns the value of JSON text and the names of the liberties taken to read it.

    What the strict, fast parser refuses but people's archives hold is read all the same: lone surrogates,
    control characters inside strings, NaN and infinity (as null), bytes that are not UTF-8 (replaced). What stands
    deeper than ``MAX_DEPTH`` is kept as its JSON text. Where an object has a key several times the last one counts, as
    everywhere, and the others are kept as ``key (duplicate 1)`` and so on. Numbers that no number type holds are text.

    Raises:
        ValueError: if it is not JSON.
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _parse_lenient(raw)
    return complete(raw, value)


def complete(raw: bytes, value: Any) -> tuple[Any, tuple[str, ...]]:
    """Returns what ``parse_json`` does of text of which the strict parser made ``value``."""
    extent = extent_of(value)
    if extent.depth > MAX_DEPTH:
        return _parse_folded(raw, ())
    if not has_all_of(raw, extent.keys):
        return _parse_text(raw.decode(), ())
    return value, ()


def _parse_lenient(raw: bytes) -> tuple[Any, tuple[str, ...]]:
    warnings: tuple[str, ...] = (LENIENT_JSON,)
    try:
        text = raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
        warnings = (LENIENT_JSON, INVALID_UTF8)
    try:
        value, found = _parse_text(text, warnings)
    except RecursionError:
        value, found = None, None
    if found is None or extent_of(value).depth > MAX_DEPTH:
        return _parse_folded(text.encode("utf-8", "surrogatepass"), warnings)
    return value, found


def _parse_folded(raw: bytes, warnings: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
    folded = fold_deep(raw, MAX_DEPTH)
    if folded is raw:
        msg = "brackets do not match"  # too deep to parse, and closed nowhere
        raise ValueError(msg)
    return _parse_text(folded.decode("utf-8", "surrogatepass"), (*warnings, DEEP_JSON_AS_TEXT))


def _parse_text(text: str, warnings: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
    has_duplicates = False

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal has_duplicates
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        has_duplicates = True
        return _keep_duplicates(pairs, value)

    value = json.loads(
        text,
        strict=False,
        parse_constant=lambda _: None,
        parse_int=_integer,
        parse_float=_float,
        object_pairs_hook=as_object,
    )
    return value, (*warnings, DUPLICATE_KEY) if has_duplicates else warnings


def _integer(text: str) -> int | str:
    return int(text) if len(text) < sys.int_info.str_digits_check_threshold else text


def _float(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text


def _keep_duplicates(pairs: list[tuple[str, Any]], last: dict[str, Any]) -> dict[str, Any]:
    places = {key: place for place, (key, _) in enumerate(pairs)}
    numbers = dict.fromkeys(last, 1)
    result: dict[str, Any] = {}
    for place, (key, value) in enumerate(pairs):
        name = key
        while places[key] != place and (name in last or name in result):
            name = f"{key} (duplicate {numbers[key]})"
            numbers[key] += 1
        result[name] = value
    return result
