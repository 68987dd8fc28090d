"""Canonical JSON: equal values have equal text, in any language (docs/hashes.md is the contract).

Like RFC 8785, with two differences: integers of any size keep all their digits, and keys are ordered by code point.
Strings are NFC-normalised. The fast way is orjson, for texts without numbers that it would change.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any, Final

import orjson

from archive_pipeline.text.normalization import nfc

MAX_DEPTH: Final = 200
# Numbers that orjson would write in another way, or round. Inside of strings they only cost time.
_SPECIAL_NUMBER: Final = re.compile(r"[0-9][.eE]|-0|[0-9]{16}")


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def canonical_json(text: str) -> str | None:
    """Return the canonical JSON of a JSON text; None if it is no JSON.

    No JSON are also: nesting beyond ``MAX_DEPTH``, a number that no double holds (1e400), a lone surrogate.
    """
    if text.count("{") + text.count("[") > MAX_DEPTH or _SPECIAL_NUMBER.search(text):
        return _rewritten(text)
    try:
        found = orjson.dumps(orjson.loads(text), option=orjson.OPT_SORT_KEYS).decode()
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None
    # Form C of the whole would compose a mark with the letter of an escape before it.
    return found if nfc(found) == found else _rewritten(text)


def json_string(text: str) -> str:
    """Return the canonical JSON of a string."""
    return orjson.dumps(nfc(text)).decode()


def _rewritten(text: str) -> str | None:
    try:
        return str(_write(_DECODER.decode(text), 0))  # a number alone is a plain text, too
    except (ValueError, RecursionError, orjson.JSONEncodeError):
        return None


def _write(value: Any, depth: int) -> str:
    if isinstance(value, _Number):
        return value
    if isinstance(value, dict):
        inner = _below(depth)
        composed = {nfc(key): value[key] for key in sorted(value)}
        members = [f"{json_string(key)}:{_write(composed[key], inner)}" for key in sorted(composed)]
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        inner = _below(depth)
        return "[" + ",".join([_write(item, inner) for item in value]) + "]"
    return json_string(value) if isinstance(value, str) else orjson.dumps(value).decode()


def _below(depth: int) -> int:
    if depth == MAX_DEPTH:
        msg = f"nested more than {MAX_DEPTH} levels deep"
        raise ValueError(msg)
    return depth + 1


def _integer(written: str) -> _Number:
    return _Number("0" if written == "-0" else written)


def _double(number: str) -> _Number:
    """Return a number with a fraction or an exponent as ECMAScript writes the nearest double."""
    value = float(number)
    if not math.isfinite(value):
        msg = f"no double holds {number}"
        raise ValueError(msg)
    if value == 0:
        return _Number("0")
    # ``repr`` and ECMAScript agree on the digits: the fewest that give the same double back.
    sign, digits_found, exponent = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, digits_found))
    point = len(digits) + int(exponent)
    if len(digits) <= point <= 21:
        written = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        written = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        written = "0." + "0" * -point + digits
    else:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        written = f"{digits[0]}{fraction}e{point - 1:+d}"
    return _Number("-" + written if sign else written)


def _refuse(name: str) -> Any:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


_DECODER: Final = json.JSONDecoder(parse_float=_double, parse_int=_integer, parse_constant=_refuse)
