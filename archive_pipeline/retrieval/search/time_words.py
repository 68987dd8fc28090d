"""Times in a query: "yesterday", "two weeks ago", "in May 2024", "since March" as the filters ``since`` and ``until``.

Only the past is read, since nothing else was said yet, and only English. What is quoted or excluded, several times that
are no range, and numbers that no word says to be a time stay as they are. A query of nothing but a time, or of one and
words that only ask ("what did we talk about"), asks for the pages of that time. What the words mean is in ``periods``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.periods import (
    ANY_TIME,
    FULL_MONTH,
    MONTH,
    PART,
    SEASON,
    SHORT_MONTH,
    YEAR,
    month_before,
    period_of,
)
from archive_pipeline.retrieval.search.query import Query, parse_query
from archive_pipeline.text.search_terms import split_words

_BEFORE: Final = r"in|on|during|from|of|since|after|before|until"
_IN_A_LIST: Final = r"\s*(?:(?:,|[-\u2013/]|and|or|to|till|until|through)\s*)+"
# What is no time by itself but stands in a list with one, such as "Jan" in "Jan and Mar 2024".
_LISTED_ONLY: Final = "|".join(
    rf"(?:{kind})(?={_IN_A_LIST}(?:{others}))"
    for kind, others in ((SHORT_MONTH, MONTH), (SEASON, rf"{SEASON}|fall"), ("q[1-4]", "q[1-4]"))
)
# Neither in a longer number, such as that of a version, nor in a name.
_END: Final = r"(?![\w-]|[./]\d)"
_TIMES: Final = re.compile(
    rf"(?<![\w-])(?:(?:(?P<preposition>{_BEFORE})\s+)?(?P<time>{ANY_TIME})|(?:{_LISTED_ONLY})){_END}", re.IGNORECASE
)
_RANGE: Final = re.compile(
    rf"(?<![\w-])(?:between\s+(?P<first>{ANY_TIME}|{SHORT_MONTH})\s+and"
    rf"|from\s+(?P<start>{ANY_TIME}|{SHORT_MONTH})\s+(?:to|until))\s+(?P<last>{ANY_TIME}){_END}",
    re.IGNORECASE,
)
_BETWEEN_TIMES: Final = re.compile(_IN_A_LIST, re.IGNORECASE)
# What needs a preposition to be a time: a number may be of anything, "late 2013" of a computer, and a fall of somebody.
_BARE: Final = re.compile(
    rf"{FULL_MONTH}|{YEAR}|{YEAR}-\d\d|\d\d\.\d\d\.{YEAR}"
    rf"|(?:{PART})\b(?!.*(?:{MONTH})\W.*{YEAR}).*|(?:the\s+)?fall\b.*",
    re.IGNORECASE | re.DOTALL,
)
_DAY_WITHOUT_YEAR: Final = re.compile(
    rf"(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{MONTH})|(?:{MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?",
    re.IGNORECASE,
)

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
# Beside a time, words that say nothing of what is looked for: those of no meaning, and those for asking and for chats.
_ASKING: Final = frozenset(
    {"a", "an", "the", "this", "that", "these", "those", "of", "in", "on", "at", "to", "for", "from", "with", "about"}
    | {"and", "or", "i", "me", "my", "we", "us", "our", "you", "your", "it", "s", "there", "then", "up", "please"}
    | {"what", "whatever", "which", "when", "who", "is", "are", "was", "were", "been", "do", "did", "does", "done"}
    | {"have", "has", "had", "can", "could", "all", "any", "anything", "every", "everything", "some", "thing", "things"}
    | {"ask", "asked", "asking", "talk", "talked", "talking", "discuss", "discussed", "say", "said", "chat", "chats"}
    | {"chatted", "happened", "came", "show", "list", "find", "give", "tell", "see", "get", "look", "work", "worked"}
    | {"conversation", "conversations", "dialogue", "dialogues", "message", "messages", "question", "questions"}
    | {"page", "pages", "session", "sessions"}
)


@dataclass(frozen=True, slots=True)
class TimedQuery:
    """A query whose time became filters.

    Attributes:
        words: those that name the time.
        query: without them; it wants nothing where it named nothing but a time, beside words that only ask.
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
    other = _without_asking(parse_query(rest)) if _WORD.search(rest) else _NOTHING
    return TimedQuery(" ".join(query.text[start:end].split()), other, replace(filters, since=since, until=until))


def _without_asking(query: Query) -> Query:
    """Return a query that wants nothing, if it has only words that ask; else the same."""
    if all(term.kind == "word" and _only_asks(term.text) for term in query.wanted):
        return replace(query, wanted_text="", terms=query.excluded)
    return query


def _only_asks(text: str) -> bool:
    """Tell whether all words of a text are for asking; US and IT are none."""
    return all(word.lower() in _ASKING and (len(word) == 1 or not word.isupper()) for word in split_words(text))


_Found = tuple[tuple[int, int], datetime | None, datetime | None]


def _range(match: re.Match[str], today: datetime) -> _Found | None:
    """Read "between X and Y" and "from X to Y"."""
    named = match["first"] or match["start"]
    first, last = period_of(named, today), period_of(match["last"], today)
    if last is not None and (first is None or first.start >= last.end):
        first = month_before(named, last)
    if first is None or last is None:
        return None
    return (match.span(), first.start, last.end) if first.start < last.end else None


def _single(text: str, today: datetime) -> _Found | None:
    """Read the only time that a text names."""
    matches = list(_TIMES.finditer(text))
    meant = [match for match in matches if _is_meant(match)]
    if len(meant) != 1 or _is_one_of_several(meant[0], matches, text):
        return None
    [match] = meant
    period = period_of(match["time"], today)
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
    """Tell whether the words name a time: what is ``_BARE`` needs a preposition, and so does a day of a month.

    What is of a year, such as an essay of 2000 words, is not; nor are five people in May the fifth of May.
    """
    if match["time"] is None:
        return False
    preposition = (match["preposition"] or "").lower()
    if _BARE.fullmatch(match["time"]):
        return preposition not in ("", "of")
    return preposition not in ("", "of", "in", "during") or not _DAY_WITHOUT_YEAR.fullmatch(match["time"])


def _is_one_of_several(meant: re.Match[str], matches: Sequence[re.Match[str]], text: str) -> bool:
    """Tell whether a time stands in a list with others, such as "in May and June"."""
    return any(
        _BETWEEN_TIMES.fullmatch(text, min(meant.end(), other.end()), max(meant.start(), other.start()))
        for other in matches
        if other is not meant
    )
