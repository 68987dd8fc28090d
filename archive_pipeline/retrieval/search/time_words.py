"""Times in a query: "yesterday", "two weeks ago", "in May 2024", "since March" as the filters ``since`` and ``until``.

Only the past is read, since nothing else was said yet, and only English. What is quoted or excluded, and several times
that are no range, stay as they are. A query of nothing but a time asks for the pages of that time.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.query import Query, parse_query

_MONTHS: Final = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_DAYS: Final = {name.lower(): number for number, name in enumerate(calendar.day_name)}
_NUMBERS: Final = {
    name: number
    for number, name in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=1
    )
} | {"a": 1, "an": 1, "a couple of": 2}
_MONTH: Final = "|".join(_MONTHS)
_NUMBER: Final = rf"\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}"
_YEAR: Final = r"(?:19|20)\d\d"
# What needs a preposition to be a time.
_BARE: Final = re.compile(rf"{_MONTH}|{_YEAR}", re.IGNORECASE)
_DAY_WITHOUT_YEAR: Final = re.compile(
    rf"(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})|(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?",
    re.IGNORECASE,
)
_IN_A_LIST: Final = re.compile(r"\s*(?:(?:,|[-\u2013/]|and|or|to|till|until|through)\s*)+", re.IGNORECASE)
_UNIT: Final = "day|week|month|year"
_OLDEST_YEAR: Final = 1970

READ_AS_TIME: Final = "{words!r} was read as {period} (UTC); in quotes it is looked for as it is written"
NOTHING_THEN: Final = (
    "nothing of {period} (UTC), as which {words!r} was read, is about the rest of the question; this is from any time "
    "(`llm-archive list --since DATE --until DATE` lists what is of then)"
)

LISTED: Final = (
    "{words!r} was read as {period} (UTC), of which the pages are listed, the newest first; in quotes it is looked for "
    "as it is written"
)
NOTHING_OF: Final = "nothing is of {period} (UTC), as which {words!r} was read; the words were looked for at any time"

_WORD: Final = re.compile(r"\w")
# What is quoted is meant literally, and what is excluded says nothing of when.
_LITERAL: Final = re.compile(r'-?"[^"]*"?|(?<!\S)-\S+')
_NOTHING: Final = Query("", "", ())


@dataclass(frozen=True, slots=True)
class Period:
    """From the first moment on, and before the second one."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class TimedQuery:
    """A query whose time became filters.

    Attributes:
        words: those that name the time.
        query: without them; it wants nothing where it named nothing but a time.
        filters: with ``since``, ``until`` or both.
    """

    words: str
    query: Query
    filters: SearchFilters

    @property
    def said(self) -> str:
        """The period for people."""
        since, until = self.filters.since, self.filters.until
        if since is None and until is None:
            raise ValueError("a time without a beginning or an end")
        if since is None or until is None:
            return f"since {since:%Y-%m-%d}" if since else f"before {until:%Y-%m-%d}"
        last = until - timedelta(days=1)
        return f"{since:%Y-%m-%d}" if last == since else f"{since:%Y-%m-%d} to {last:%Y-%m-%d}"

    def told(self, note: str) -> str:
        """Return a note of this module about the query."""
        return note.format(words=self.words, period=self.said)


def read_time(query: Query, filters: SearchFilters, now: datetime) -> TimedQuery | None:
    """Return the query with its time as filters; None if it names none, or the filters have a time already.

    Args:
        query: as it was written.
        filters: of the caller.
        now: what the words relate to; days are those of UTC, as in the filters.
    """
    if filters.since is not None or filters.until is not None:
        return None
    text = _LITERAL.sub(lambda match: " " * len(match[0]), query.text)
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    match = _RANGE.search(text)
    found = _single(text, today) if match is None else _range(match, today)
    if found is None:
        return None
    (start, end), since, until = found
    rest = " ".join(f"{query.text[:start]} {query.text[end:]}".split())
    if since is not None and since > now:
        return None
    words, other = " ".join(query.text[start:end].split()), parse_query(rest) if _WORD.search(rest) else _NOTHING
    return TimedQuery(words, other, replace(filters, since=since, until=until))


_Found = tuple[tuple[int, int], datetime | None, datetime | None]


def _range(match: re.Match[str], today: datetime) -> _Found | None:
    """Read "between X and Y" and "from X to Y"."""
    named = match["first"] or match["start"]
    first, last = _period(named, today), _period(match["last"], today)
    if first is None or last is None:
        return None
    if first.start >= last.end and re.fullmatch(_MONTH, named, re.IGNORECASE):
        first = _month_before(_MONTHS[named.lower()], last)
    return (match.span(), first.start, last.end) if first.start < last.end else None


def _single(text: str, today: datetime) -> _Found | None:
    """Read the only time that a text names."""
    matches = list(_TIMES.finditer(text))
    meant = [match for match in matches if _is_meant(match)]
    if len(meant) != 1 or _is_one_of_several(meant[0], matches, text):
        return None
    [match] = meant
    period = _period(match["time"], today)
    if period is None:
        return None
    match (match["preposition"] or "").lower():
        case "since":
            return match.span(), period.start, None
        case "after":
            return match.span(), period.end, None
        case "before" | "until":
            return match.span(), None, period.start
        case _:
            return match.span(), period.start, period.end


def _is_meant(match: re.Match[str]) -> bool:
    """Tell whether the words name a time: a month or a year alone needs a preposition, and so has a day of a month.

    What is of a year, such as an essay of 2000 words, is not; nor are five people in May the fifth of May.
    """
    preposition = (match["preposition"] or "").lower()
    if _BARE.fullmatch(match["time"]):
        return preposition not in ("", "of")
    return preposition not in ("", "of", "in", "during") or not _DAY_WITHOUT_YEAR.fullmatch(match["time"])


def _is_one_of_several(meant: re.Match[str], matches: Sequence[re.Match[str]], text: str) -> bool:
    """Tell whether a time stands in a list with others, such as "in May and June"."""
    return any(
        _IN_A_LIST.fullmatch(text, min(meant.end(), other.end()), max(meant.start(), other.start()))
        for other in matches
        if other is not meant
    )


def _period(text: str, today: datetime) -> Period | None:
    """Return what some words mean; None if there is no such day."""
    words = " ".join(text.lower().split())
    for pattern, read in _READERS:
        match = pattern.fullmatch(words)
        if match is not None:
            try:
                return read(match, today)
            except (ValueError, OverflowError):  # the 31st of June, 999 years ago
                return None
    return None


def _day(start: datetime, days: int = 1) -> Period:
    return Period(start, start + timedelta(days=days))


def _month(number: int, year: int) -> Period:
    start = datetime(year, number, 1, tzinfo=UTC)
    return Period(start, _months_after(start, 1))


def _month_before(number: int, period: Period) -> Period:
    """Return the last month of that number that begins before a period ends."""
    of_same_year = _month(number, period.start.year)
    return of_same_year if of_same_year.start < period.end else _month(number, period.start.year - 1)


def _months_after(start: datetime, months: int) -> datetime:
    years, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return start.replace(year=years, month=month + 1)


def _units_ago(unit: str, number: int, today: datetime) -> Period:
    """Return the calendar's day, week (from Monday), month or year that is so many before the present one."""
    if unit == "day":
        return _day(today - timedelta(days=number))
    if unit == "week":
        return _day(today - timedelta(days=today.weekday() + 7 * number), 7)
    if unit == "month":
        start = _months_after(today.replace(day=1), -number)
        return Period(start, _months_after(start, 1))
    return _year(today.year - number)


def _year(number: int) -> Period:
    if number < _OLDEST_YEAR:
        raise ValueError(f"nothing was said in {number}")
    return Period(datetime(number, 1, 1, tzinfo=UTC), datetime(number + 1, 1, 1, tzinfo=UTC))


def _named_day(match: re.Match[str], today: datetime) -> Period:
    return _day(today - timedelta(days=("today", "yesterday", "the day before yesterday").index(match[0])))


def _this_or_last(match: re.Match[str], today: datetime) -> Period:
    return _units_ago(match["unit"], 0 if match["which"] == "this" else 1, today)


def _ago(match: re.Match[str], today: datetime) -> Period:
    return _units_ago(match["unit"], _number(match["number"]), today)


def _within(match: re.Match[str], today: datetime) -> Period:
    number = _number(match["number"] or "one")
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[match["unit"]] * number
    return Period(today - timedelta(days=days), today + timedelta(days=1))


def _weekday(match: re.Match[str], today: datetime) -> Period:
    return _day(today - timedelta(days=(today.weekday() - _DAYS[match["day"]] - 1) % 7 + 1))


def _month_of(match: re.Match[str], today: datetime) -> Period:
    """Return a month of the named year, or the last one that has begun."""
    number = _MONTHS[match["month"]]
    if match["year"]:
        return _month(number, int(match["year"]))
    return _month(number, today.year if number <= today.month else today.year - 1)


def _date(match: re.Match[str], today: datetime) -> Period:
    """Return a day of the named year, or the last one of that name that has begun."""
    month, day = _MONTHS[match["month"]], int(match["day"])
    if match["year"]:
        return _day(datetime(int(match["year"]), month, day, tzinfo=UTC))
    return _day(datetime(today.year - ((month, day) > (today.month, today.day)), month, day, tzinfo=UTC))


def _iso_date(match: re.Match[str], _today: datetime) -> Period:
    return _day(datetime.fromisoformat(match[0]).replace(tzinfo=UTC))


def _year_of(match: re.Match[str], _today: datetime) -> Period:
    return _year(int(match[0]))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _NUMBERS[text]


_Reader = Callable[[re.Match[str], datetime], Period]
_FORMS: Final[tuple[tuple[str, _Reader], ...]] = (
    ("the day before yesterday|yesterday|today", _named_day),
    (rf"(?P<which>this|last) (?P<unit>{_UNIT})", _this_or_last),
    (rf"(?P<number>{_NUMBER}) (?P<unit>{_UNIT})s? ago", _ago),
    (rf"(?:the )?(?:past|last) (?:(?P<number>{_NUMBER}) )?(?P<unit>{_UNIT})s?", _within),
    (rf"last (?P<day>{'|'.join(_DAYS)})", _weekday),
    (rf"(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{_MONTH})(?:,? (?P<year>{_YEAR}))?", _date),
    (rf"(?P<month>{_MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>{_YEAR}))?", _date),
    (rf"(?:last )?(?P<month>{_MONTH})(?:(?:,| of)? (?P<year>{_YEAR}))?", _month_of),
    (rf"{_YEAR}-\d\d-\d\d", _iso_date),
    (_YEAR, _year_of),
)
_READERS: Final = [(re.compile(form), read) for form, read in _FORMS]
_ANY_TIME: Final = "|".join(re.sub(r"\?P<\w+>", "?:", form).replace(" ", r"\s+") for form, _ in _FORMS)
_BEFORE: Final = r"in|on|during|from|of|since|after|before|until"
_TIMES: Final = re.compile(
    rf"(?<![\w-])(?:(?P<preposition>{_BEFORE})\s+)?(?P<time>{_ANY_TIME})(?![\w-])", re.IGNORECASE
)
_RANGE: Final = re.compile(
    rf"(?<![\w-])(?:between\s+(?P<first>{_ANY_TIME})\s+and|from\s+(?P<start>{_ANY_TIME})\s+(?:to|until))"
    rf"\s+(?P<last>{_ANY_TIME})(?![\w-])",
    re.IGNORECASE,
)
