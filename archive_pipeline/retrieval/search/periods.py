"""What words of English mean a time: "yesterday", "two weeks ago", "mid-April 2024", "Q2 2024", "last spring".

Seasons are those of meteorology in the northern hemisphere: spring begins on 1 March, winter on 1 December. Which of
these words a query means as a time is decided in ``time_words``.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

_FULL_MONTHS: Final = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_SHORT_MONTHS: Final = {name[:3]: number for name, number in _FULL_MONTHS.items() if name != "may"} | {"sept": 9}
_MONTHS: Final = _FULL_MONTHS | _SHORT_MONTHS
_DAYS: Final = {name.lower(): number for number, name in enumerate(calendar.day_name)}
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_PARTS: Final = ("early", "mid", "late")
_NUMBERS: Final = {
    name: number
    for number, name in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=1
    )
} | {"a": 1, "an": 1, "a couple of": 2}
_NUMBER: Final = rf"\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}"
_OLDEST_YEAR: Final = 1970

YEAR: Final = r"(?:19|20)\d\d"
FULL_MONTH: Final = "|".join(_FULL_MONTHS)
# The longest first, so that "sept" is not read as "sep".
SHORT_MONTH: Final = rf"(?:{'|'.join(sorted(_SHORT_MONTHS, key=len, reverse=True))})\.?"
MONTH: Final = rf"{FULL_MONTH}|{SHORT_MONTH}"
PART: Final = "|".join(_PARTS)
# "This fall" and "fall" alone are as often what happened to somebody.
SEASON: Final = "|".join(name for name in _SEASONS if name != "fall")
_UNIT: Final = "day|week|month|year"


@dataclass(frozen=True, slots=True)
class Period:
    """From the first moment on, and before the second one."""

    start: datetime
    end: datetime


def period_of(text: str, today: datetime) -> Period | None:
    """Return what words of the form ``ANY_TIME`` mean; None if there is no such day, or nothing was said then.

    Args:
        text: the words.
        today: the day that they relate to, in UTC.
    """
    words = " ".join(text.lower().split())
    for pattern, read in _READERS:
        match = pattern.fullmatch(words)
        if match is not None:
            try:
                return read(match, today)
            except (ValueError, OverflowError):  # the 31st of June, 999 years ago
                return None
    return None


def month_before(name: str, period: Period) -> Period | None:
    """Return the last month of that name that begins before a period ends; None if it is no name of a month."""
    number = _MONTHS.get(name.lower().rstrip("."))
    if number is None:
        return None
    of_same_year = _month(number, period.start.year)
    return of_same_year if of_same_year.start < period.end else _month(number, period.start.year - 1)


def _day(start: datetime, days: int = 1) -> Period:
    return Period(start, start + timedelta(days=days))


def _month(number: int, year: int, *, months: int = 1) -> Period:
    start = datetime(year, number, 1, tzinfo=UTC)
    return Period(start, _months_after(start, months))


def _months_after(start: datetime, months: int) -> datetime:
    years, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return start.replace(year=years, month=month + 1)


def _year(number: int) -> Period:
    if number < _OLDEST_YEAR:
        raise ValueError(f"nothing was said in {number}")
    return _month(1, number, months=12)


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
    number = _month_number(match)
    if match["year"]:
        return _month(number, int(match["year"]))
    return _month(number, today.year if number <= today.month else today.year - 1)


def _date(match: re.Match[str], today: datetime) -> Period:
    """Return a day of the named year, or the last one of that name that has begun."""
    month, day = _month_number(match), int(match["day"])
    if match["year"]:
        return _day(datetime(int(match["year"]), month, day, tzinfo=UTC))
    return _day(datetime(today.year - ((month, day) > (today.month, today.day)), month, day, tzinfo=UTC))


def _date_in_numbers(match: re.Match[str], _today: datetime) -> Period:
    return _day(datetime(int(match["year"]), int(match["month"]), int(match["day"]), tzinfo=UTC))


def _month_in_numbers(match: re.Match[str], _today: datetime) -> Period:
    return _month(int(match["month"]), int(match["year"]))


def _year_of(match: re.Match[str], _today: datetime) -> Period:
    return _year(int(match["year"]))


def _quarter(match: re.Match[str], _today: datetime) -> Period:
    return _month(3 * int(match["quarter"]) - 2, _year_of(match, _today).start.year, months=3)


def _part_of_month(match: re.Match[str], today: datetime) -> Period:
    """Return a third of a month: to the 10th, to the 20th, to its end."""
    month = _month_of(match, today)
    return _parts(match, [month.start, *(month.start + timedelta(days=days) for days in (10, 20)), month.end])


def _part_of_year(match: re.Match[str], today: datetime) -> Period:
    """Return a third of a year: four months."""
    start = _year_of(match, today).start
    return _parts(match, [_months_after(start, months) for months in (0, 4, 8, 12)])


def _parts(match: re.Match[str], bounds: Sequence[datetime]) -> Period:
    """Return what "early", "mid to late" and so on are of the thirds between some bounds."""
    first, last = _PARTS.index(match["part"]), _PARTS.index(match["to"] or match["part"])
    if first > last:
        raise ValueError(f"{match[0]!r} ends before it begins")
    return Period(bounds[first], bounds[last + 1])


def _season_of(match: re.Match[str], today: datetime) -> Period:
    return _season(match["season"], _year_of(match, today).start.year)


def _season(name: str, year: int) -> Period:
    """Return the season that begins in a year."""
    return _month(_SEASONS[name], year, months=3)


def _near_season(match: re.Match[str], today: datetime) -> Period:
    """Return the season that is going on or else that of this year ("this"), or the last one that is over."""
    present, previous, older = (_season(match["season"], today.year - years) for years in range(3))
    if match["which"] == "this":
        return previous if previous.end > today else present
    return next(season for season in (present, previous, older) if season.end <= today)


def _month_number(match: re.Match[str]) -> int:
    return _MONTHS[match["month"].rstrip(".")]


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _NUMBERS[text]


_Reader = Callable[[re.Match[str], datetime], Period]
_SOME_PARTS: Final = rf"(?P<part>{PART})(?:(?: to | or | and |/)(?P<to>{PART}))?(?:-| )"
_OF_YEAR: Final = rf"(?:,| of)? (?P<year>{YEAR})"
_FORMS: Final[tuple[tuple[str, _Reader], ...]] = (
    ("the day before yesterday|yesterday|today", _named_day),
    (rf"(?P<which>this|last) (?P<unit>{_UNIT})", _this_or_last),
    (rf"(?P<number>{_NUMBER}) (?P<unit>{_UNIT})s? ago", _ago),
    (rf"(?:the )?(?:past|last) (?:(?P<number>{_NUMBER}) )?(?P<unit>{_UNIT})s?", _within),
    (rf"last (?P<day>{'|'.join(_DAYS)})", _weekday),
    (rf"(?P<which>this(?! fall)|last) (?P<season>{SEASON}|fall)", _near_season),
    (rf"(?:the )?(?P<season>{SEASON}|fall){_OF_YEAR}", _season_of),
    (rf"(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{MONTH})(?:,? (?P<year>{YEAR}))?", _date),
    (rf"(?P<month>{MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>{YEAR}))?", _date),
    (rf"{_SOME_PARTS}(?P<month>{MONTH})(?:{_OF_YEAR})?", _part_of_month),
    (rf"{_SOME_PARTS}(?P<year>{YEAR})", _part_of_year),
    (rf"(?:last )?(?P<month>{FULL_MONTH})(?:{_OF_YEAR})?", _month_of),
    (rf"(?P<month>{SHORT_MONTH}){_OF_YEAR}", _month_of),
    (rf"q(?P<quarter>[1-4]){_OF_YEAR}", _quarter),
    (rf"(?P<year>{YEAR}) q(?P<quarter>[1-4])", _quarter),
    (rf"(?P<year>{YEAR})-(?P<month>\d\d)-(?P<day>\d\d)", _date_in_numbers),
    (rf"(?P<day>\d\d)\.(?P<month>\d\d)\.(?P<year>{YEAR})", _date_in_numbers),
    (rf"(?P<year>{YEAR})-(?P<month>\d\d)", _month_in_numbers),
    (rf"(?P<year>{YEAR})", _year_of),
)
_READERS: Final = [(re.compile(form), read) for form, read in _FORMS]
# A text that may be a time, in any case and with any space.
ANY_TIME: Final = "|".join(re.sub(r"\?P<\w+>", "?:", form).replace(" ", r"\s+") for form, _ in _FORMS)
