"""One parser for every way the exports write a moment in time.

Seconds, milliseconds, ISO 8601 with or without an offset, numeric strings and Mongo's ``{"$date": ...}`` all become an
aware ``datetime`` in UTC. What cannot be a time of a conversation (zero, negative, NaN, beyond year 9999, nonsense)
becomes None and is counted; nothing here raises.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta

BAD_TIMESTAMP = "bad_timestamp"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_MILLISECONDS = 1e11  # as seconds this is the year 5138, as milliseconds 1973
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?", re.ASCII)


def read_timestamp(value: object, warnings: Counter[str]) -> datetime | None:
    """Returns the moment in UTC; None if there is none, and counts ``bad_timestamp`` if there is one nobody can read.

    Times up to the first moment of 1970 count as unreadable: they are zero values (``0``, ``0001-01-01``) or damage,
    whatever the notation.
    """
    if value is None or value == "":
        return None
    try:
        moment = _parse(value)
    except (ValueError, OverflowError, TypeError, ArithmeticError):
        moment = None
    if moment is None or moment <= _EPOCH:
        warnings[BAD_TIMESTAMP] += 1
        return None
    return moment


def _parse(value: object) -> datetime | None:
    if type(value) is float:  # nearly always, and the checks below take as long as what is to be done
        return _from_number(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_number(float(value))
    if isinstance(value, str):
        text = value.strip()
        has_date = text[4:5] == text[7:8] == "-"  # which no number has
        return _from_iso(text) if has_date or not _NUMBER.fullmatch(text) else _from_number(float(text))
    if isinstance(value, dict) and "$date" in value:
        return _from_mongo(value["$date"])
    return None


def _from_number(number: float) -> datetime:
    seconds = number / 1000 if number > _FIRST_MILLISECONDS else number
    # Rounding once, to microseconds, gives the same value on every platform (NaN and infinity raise here).
    return _EPOCH + timedelta(microseconds=round(seconds * 1_000_000))


def _from_iso(text: str) -> datetime:
    text = text.removesuffix("UTC").rstrip()
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is UTC:
        return moment
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _from_mongo(value: object) -> datetime | None:
    if isinstance(value, dict):
        value = value.get("$numberLong")
    if isinstance(value, str) and not _NUMBER.fullmatch(value.strip()):
        return _from_iso(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    return _EPOCH + timedelta(milliseconds=float(value))  # Mongo always counts milliseconds
