"""What tags in a prompt of a transcript mark: the user's words, what Cursor put around them, when it was sent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from archive_pipeline.readers.timestamps import read_timestamp

_OPENING: Final = "<user_query>"
_CLOSING: Final = "</user_query>"
_PROMPT_TAG: Final = re.compile(f"{_OPENING}|{_CLOSING}")
_NOTIFICATION: Final = "system_notification"
_TIMESTAMP: Final = "timestamp"
_OF_SYSTEM: Final = frozenset({"system_reminder", _NOTIFICATION})
_TAG: Final = re.compile(r"<(?P<name>[a-z_]+)(?:\s[^<>]*)?>")
# Tuesday, May 26, 2026, 10:57 PM (UTC+2)
_TIME: Final = re.compile(
    r"(?:[a-z]+,\s)?(?P<month>[a-z]+)\s(?P<day>[0-9]{1,2}),\s(?P<year>[0-9]{4}),\s"
    r"(?P<hour>0?[1-9]|1[0-2]):(?P<minute>[0-9]{2})\s(?P<half>[ap])m\s"
    r"\(UTC(?:(?P<sign>[+-])(?P<hours>[0-9]{1,2})(?::?(?P<minutes>[0-9]{2}))?)?\)",
    re.IGNORECASE,
)
# Those of the locale of this process may be others.
_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text of a prompt.

    Attributes:
        asked: what the user wrote; empty if no tag says so.
        around: what Cursor put around it, without the time.
        is_of_system: Cursor wrote all of it, as where a task in the background has ended.
        created_at: when it was sent, if that is there and can be read.
    """

    asked: str
    around: str
    is_of_system: bool
    created_at: datetime | None


def read_marked(text: str, warnings: Counter[str]) -> MarkedText:
    """Returns what the tags in a text mark.

    Args:
        text: of a user's message.
        warnings: where a time that cannot be read is counted.
    """
    prompts = list(_prompts(text))
    asked = "\n\n".join(filter(None, (text[start:end].strip("\n") for start, end in prompts)))
    around = _around(text, prompts)
    blocks = list(_blocks(around))
    is_of_system = _is_of_system(around, blocks, has_prompt=bool(prompts))
    moment, around = _time(around, blocks, warnings) if asked or is_of_system else (None, around)
    return MarkedText(asked, around.strip(), is_of_system, moment)


def _prompts(text: str) -> Iterator[tuple[int, int]]:
    """Yields where the user's words begin and end.

    They may have the tags in them. So they end with the last tag that can be theirs, and only where a line begins, or
    another block ends, do others begin.
    """
    last = text.rfind(_CLOSING)
    start = closing = -1
    for tag in _PROMPT_TAG.finditer(text):
        at = tag.start()
        if tag[0] == _CLOSING:
            closing = at
        elif start < 0:
            start = at
        elif start < closing and text[at - 1] in "\n>" and at < last:
            yield start + len(_OPENING), closing
            start = at
    if 0 <= start < closing:
        yield start + len(_OPENING), closing


def _around(text: str, prompts: list[tuple[int, int]]) -> str:
    ends = [0, *(end + len(_CLOSING) for _, end in prompts)]
    starts = [*(start - len(_OPENING) for start, _ in prompts), len(text)]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def _blocks(text: str) -> Iterator[tuple[str, int, int]]:
    """Yields name, start and end of what stands in tags, not of what is in that again; none behind an open one."""
    at = 0
    while (tag := _TAG.search(text, at)) is not None:
        closing = f"</{tag['name']}>"
        end = text.find(closing, tag.end())
        if end < 0:
            return
        at = end + len(closing)
        yield tag["name"], tag.start(), at


def _is_of_system(around: str, blocks: list[tuple[str, int, int]], *, has_prompt: bool) -> bool:
    """Tells what is not the user's: beside a notification, the prompt is Cursor's own too."""
    names = {name for name, _, _ in blocks}
    if has_prompt:
        return _NOTIFICATION in names
    ends = [0, *(end for _, _, end in blocks)]
    starts = [*(start for _, start, _ in blocks), len(around)]
    is_nothing_else = not any(around[end:start].strip() for end, start in zip(ends, starts, strict=True))
    return is_nothing_else and bool(names & _OF_SYSTEM) and names <= _OF_SYSTEM | {_TIMESTAMP}


def _time(around: str, blocks: list[tuple[str, int, int]], warnings: Counter[str]) -> tuple[datetime | None, str]:
    """Returns the first time, and the text without it; all of the text if it cannot be read."""
    place = next(((start, end) for name, start, end in blocks if name == _TIMESTAMP), None)
    if place is None:
        return None, around
    start, end = place
    said = around[around.index(">", start) + 1 : around.rindex("<", start, end)].strip()
    moment = read_timestamp(_iso(said) or said, warnings)
    return moment, around if moment is None else around[:start] + around[end:].lstrip("\n")


def _iso(text: str) -> str | None:
    said = _TIME.fullmatch(text)
    if said is None or said["month"].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(said["month"].lower()) + 1
    hour = int(said["hour"]) % 12 + (12 if said["half"].lower() == "p" else 0)
    offset = f"{said['sign'] or '+'}{int(said['hours'] or 0):02}:{said['minutes'] or '00'}"
    return f"{said['year']}-{month:02}-{int(said['day']):02}T{hour:02}:{said['minute']}:00{offset}"
