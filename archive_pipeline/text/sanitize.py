"""Making text fit for PostgreSQL, which takes neither NUL nor lone surrogates, in text or in JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import orjson

from archive_pipeline.domain.records import JsonText

SANITIZED_NUL: Final = "sanitized_nul"
SANITIZED_SURROGATE: Final = "sanitized_surrogate"
REPLACEMENT: Final = "\ufffd"

NUL_ESCAPE: Final = b"\\u0000"
_NAME_CHARACTERS: Final = 100
# Of a number in JSONB: numeric has 131,072 before its point.
_MOST_DIGITS: Final = 131_072


def clean_text(text: str, counts: Counter[str]) -> str:
    """Return the text with split surrogates paired up, lone ones replaced by U+FFFD, and NUL dropped; count both."""
    if "\0" in text:
        counts[SANITIZED_NUL] += text.count("\0")
        text = text.replace("\0", "")
    if text.isascii():  # looked up, not computed
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        paired = pair_surrogates(text)
        lone = sum(1 for character in paired if "\ud800" <= character <= "\udfff")
        counts[SANITIZED_SURROGATE] += lone or 1
        return "".join(REPLACEMENT if "\ud800" <= character <= "\udfff" else character for character in paired)
    return text


def pair_surrogates(text: str) -> str:
    """Return the text with the two halves of a character as one wherever they stand side by side."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def clean_optional(text: str | None, counts: Counter[str]) -> str | None:
    """Return ``clean_text`` of a text that may be missing."""
    return None if text is None else clean_text(text, counts)


def clean_names(named: Mapping[str, int], counts: Counter[str]) -> Counter[str]:
    """Return counts by clean names, cut to what a person reads: parts of them come from the source, such as types."""
    clean: Counter[str] = Counter()
    for name, number in named.items():
        clean[clean_text(name, counts)[:_NAME_CHARACTERS]] += number
    return clean


def json_text(value: Any, counts: Counter[str]) -> str | None:
    """Return the value as JSON text that PostgreSQL takes; None for None.

    Integers have all their digits; one of more than 131,072 is a text.
    """
    if value is None:
        return None
    try:
        encoded = orjson.dumps(value, default=_to_json)
    except (TypeError, orjson.JSONEncodeError):
        return orjson.dumps(_clean_value(value, counts), default=_to_json).decode()
    if NUL_ESCAPE in encoded:
        return orjson.dumps(_clean_value(value, counts), default=_to_json).decode()
    return encoded.decode()


def _clean_value(value: Any, counts: Counter[str]) -> Any:
    """Return a copy with clean strings, and integers that orjson has no room for as they are written.

    Nesting is as deep as the reader let it through.
    """
    if isinstance(value, str):
        return clean_text(value, counts)
    if isinstance(value, dict):
        return {clean_text(str(key), counts): _clean_value(item, counts) for key, item in value.items()}
    if isinstance(value, list | tuple) and not isinstance(value, JsonText):
        return [_clean_value(item, counts) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**64:
        digits = format(Decimal(value), "f")  # str() refuses more than 4,300 of them
        return orjson.Fragment(digits) if len(digits) <= _MOST_DIGITS else digits
    return value


def _to_json(value: Any) -> Any:
    if isinstance(value, JsonText):
        return orjson.Fragment(value.text)
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)
