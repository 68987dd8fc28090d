"""The times of Copilot's tables, in ISO 8601 without an offset or as Americans write them, with one."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import Final

from archive_pipeline.readers.timestamps import read_timestamp

_AMERICAN: Final = re.compile(
    r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4}) ([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?"
    # Unicode's data of languages has a narrow space before the half of the day.
    r"(?:[ \u00a0\u202f]?([AP]M))?(?: ?([+-][0-9]{2}:[0-9]{2}))?",
    re.ASCII | re.IGNORECASE,
)
_NOON: Final = 12


def read_time(value: object, warnings: Counter[str]) -> datetime | None:
    """Returns the moment in UTC, which a time without an offset is taken for; else as ``read_timestamp``."""
    found = _AMERICAN.fullmatch(value.strip()) if isinstance(value, str) else None
    return read_timestamp(value if found is None else _as_iso(found), warnings)


def _as_iso(found: re.Match[str]) -> str:
    month, day, year, hour, minute, second, half, offset = found.groups(default="")
    hours = int(hour)
    if half:
        hours = hours % _NOON + (_NOON if half.upper() == "PM" else 0)
    return f"{year}-{month:0>2}-{day:0>2}T{hours:02}:{minute}:{second or '00'}{offset}"
