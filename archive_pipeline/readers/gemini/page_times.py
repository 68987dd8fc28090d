"""Times of Takeout's pages: the local time of the account, in its language, with the offset of the day of the export.

Only what can be read without doubt is a time. The names of months and zones that mean several things are not listed:
CST is in America, China and Cuba, IST in India, Israel and Ireland, BST in Britain and Bangladesh; "lip" is June in
Croatian and July in Polish.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

_FIRST_YEAR: Final = 2023  # of the app
_LONGEST: Final = 60
_LONGEST_ZONE: Final = 24
# In English, German, French, Spanish, Portuguese, Italian, Dutch, Danish, Norwegian, Swedish, Polish, Slovene, Turkish
# and Russian; a number begins the names of a month.
_NAMES: Final = """
1 jan january januar jänner jän janv janvier ene enero janeiro gen gennaio januari sty stycznia oca ocak янв января
2 feb february februar feber febr févr février febrero fev fevereiro febbraio februari lut lutego şub şubat фев февр
2 февраля
3 mar march mär märz mars marzo março mrt maart marca mart мар марта
4 apr april avr avril abr abril aprile kwi kwietnia nis nisan апр апреля
5 may mai mayo maio mag maggio mei maj maja мая май
6 jun june juni juin junio junho giu giugno cze czerwca junij haz haziran июн июня
7 jul july juli juil juillet julio julho lug luglio lipca julij tem temmuz июл июля
8 aug august août ago agosto augustus augusti sie sierpnia avg avgust ağu ağustos авг августа
9 sep sept september septembre septiembre set setembro settembre wrz września eyl eylül сен сент сентября
10 oct october okt oktober octobre octubre out outubro ott ottobre paź października eki ekim окт октября
11 nov november novembre noviembre novembro kas ноя нояб ноября
12 dec december dez dezember déc décembre dic diciembre dezembro dicembre des desember gru grudnia ara дек декабря
"""
_MONTHS: Final[Mapping[str, int]] = {
    name: int(number) for number, *names in map(str.split, _NAMES.strip().splitlines()) for name in names
}
_ZONES: Final[Mapping[str, float]] = {
    **dict.fromkeys(("UTC", "GMT", "WET"), 0),
    **dict.fromkeys(("CET", "MEZ", "WEST"), 1),
    **dict.fromkeys(("CEST", "MESZ", "EET", "OEZ", "SAST"), 2),
    **dict.fromkeys(("EEST", "OESZ", "MSK", "TRT"), 3),
    **dict.fromkeys(("JST", "KST"), 9),
    **dict.fromkeys(("HKT", "SGT"), 8),
    **dict.fromkeys(("BRT", "ART"), -3),
    **dict(zip(("HST", "AKST", "PST", "MST"), range(-10, -6), strict=True)),
    **dict(zip(("AKDT", "PDT", "MDT", "CDT", "EDT"), range(-8, -3), strict=True)),
    **dict(zip(("AEST", "AEDT", "NZST", "NZDT"), range(10, 14), strict=True)),
    "EST": -5,
    "ACST": 9.5,
    "ACDT": 10.5,
}
_AM: Final = frozenset({"am", "ص", "上午", "오전", "午前", "öö"})
_PM: Final = frozenset({"pm", "م", "下午", "오후", "午後", "ös"})
_HALF: Final = "|".join(sorted(_AM | _PM))
_CLOCK: Final = re.compile(r"(?<![\d:.])(\d{1,2})([:.])(\d{2})\2(\d{2})(?![\d:.])")
_BEFORE: Final = re.compile(rf"(.*?),?(?: (?:at|um|à|a las|às|alle|om|kl\.?|klo|ob|\u0432))? ?({_HALF})? ?", re.DOTALL)
_AFTER: Final = re.compile(rf" ?({_HALF})? ?([A-Z]{{2,5}})?(?:([+-])(\d{{1,2}})(?::?(\d{{2}}))?)?")
_DAY_FIRST: Final = re.compile(
    r"(?P<day>\d{1,2})\.? (?:de )?(?P<month>[^\W\d_]+)\.?,? (?:de )?(?P<year>\d{4})(?: ?\u0433\.)?"
)
_MONTH_FIRST: Final = re.compile(r"(?P<month>[^\W\d_]+)\.? (?P<day>\d{1,2}),? (?P<year>\d{4})")
_YEAR_FIRST: Final = re.compile(r"(\d{4})(?:[-/]|\. ?|年|년 )(\d{1,2})(?:[-/]|\. ?|月|월 )(\d{1,2})[.日일]?")
_DOTTED: Final = re.compile(r"(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})")
_SLASHED: Final = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_DIRECTION: Final = re.compile(r"[\u200e\u200f]")  # marks of it, which say nothing
_ENGLISH_HALF: Final = re.compile(r"\b([AaPp])\.? ?[Mm]\b\.?")


def is_time(line: str) -> bool:
    """Tells whether a line is nothing but a time, in any language: a year, a clock with seconds, and a zone."""
    found = None if len(line) > _LONGEST else _CLOCK.search(line)
    if found is None or _CLOCK.search(line, found.end()):
        return False
    return len(line) - found.end() <= _LONGEST_ZONE and re.search(r"\d{4}", line[: found.start()]) is not None


def read_time(line: str) -> datetime | None:
    """Returns the moment that a line names, in UTC; None if that is open to doubt."""
    text = " ".join(_DIRECTION.sub("", line).replace("\u060c", ",").replace("\u2212", "-").split())
    text = _ENGLISH_HALF.sub(lambda found: f"{found[1].lower()}m", text)
    clock = _CLOCK.search(text)
    if not is_time(line) or clock is None:
        return None
    before = _BEFORE.fullmatch(text[: clock.start()])
    after = _AFTER.fullmatch(text[clock.end() :])
    offset = _offset(after[2], *after.groups()[2:]) if after is not None else None
    if before is None or after is None or offset is None or (before[2] and after[1]):
        return None
    half = before[2] or after[1]
    hour = _hour(int(clock[1]), half)
    day = _date(before[1].removesuffix("\u0433.").strip(), is_arabic="\u060c" in line)
    if hour is None or day is None or day[0] < _FIRST_YEAR:
        return None
    try:
        local = datetime(*day, hour, int(clock[3]), int(clock[4]), tzinfo=timezone(offset))
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _hour(hour: int, half: str | None) -> int | None:
    if half is None:
        return hour
    return hour % 12 + 12 * (half in _PM) if 1 <= hour <= 12 else None


def _offset(zone: str | None, sign: str | None, hours: str | None, minutes: str | None) -> timedelta | None:
    """Returns how far a zone is from UTC; None if that is not known."""
    if hours is None:
        known = _ZONES.get(zone or "")
        return None if known is None else timedelta(hours=known)
    if zone not in ("GMT", "UTC") or int(hours) > 14:
        return None
    away = timedelta(hours=int(hours), minutes=int(minutes or 0))
    return -away if sign == "-" else away


def _date(text: str, *, is_arabic: bool) -> tuple[int, int, int] | None:
    """Returns year, month and day."""
    if found := _YEAR_FIRST.fullmatch(text):
        return _numbers(found.groups())
    if found := _DOTTED.fullmatch(text):
        return _numbers(reversed(found.groups()))
    if found := _SLASHED.fullmatch(text):
        first, second, year = map(int, found.groups())
        # In Arabic the day is first; else only numbers that are no month tell, or two that are the same.
        is_day_first = is_arabic or first > 12 or first == second
        return (year, second, first) if is_day_first else (year, first, second) if second > 12 else None
    found = _DAY_FIRST.fullmatch(text) or _MONTH_FIRST.fullmatch(text)
    return None if found is None else _named(found)


def _named(found: re.Match[str]) -> tuple[int, int, int] | None:
    month = _MONTHS.get(found["month"].lower())
    return None if month is None else (int(found["year"]), month, int(found["day"]))


def _numbers(parts: Iterable[str]) -> tuple[int, int, int]:
    year, month, day = map(int, parts)
    return year, month, day
