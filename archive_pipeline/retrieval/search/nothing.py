"""Why nothing was found, where that is known: an archive without content, filters with values that nothing has."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, time
from typing import Any, Final, NamedTuple

import psycopg

from archive_pipeline.domain.conditions import like_part
from archive_pipeline.retrieval.search.filters import FILTERS, SearchFilters
from archive_pipeline.retrieval.search.retrievers.base import filtered_rows
from archive_pipeline.retrieval.search.rows import ArchiveHas, KnownDates
from archive_pipeline.store.rows import fetch_column, fetch_rows
from archive_pipeline.text.search_terms import split_words
from archive_pipeline.text.shown_names import printable

EMPTY_ARCHIVE: Final = "the archive is empty: `llm-archive import PATH` fills it"
NOT_BUILT: Final = "nothing can be searched yet: `llm-archive build` makes the chunks"
MOST_NAMED: Final = 5
_SIMILAR: Final = 0.5
_SHORTEST_TITLE: Final = 3
_MOST_WORDS_OF_TITLE: Final = 8


class _Titled(NamedTuple):
    """A dialogue with a title."""

    partition_key: str
    title: str


def why_nothing(connection: psycopg.Connection[Any], filters: SearchFilters) -> list[str]:
    """Return a sentence for each reason; none if the filters are sound, so that it was the query."""
    [archive] = fetch_rows(connection, "search/archive_has", ArchiveHas)
    if not archive.has_content:
        return [EMPTY_ARCHIVE]
    if not archive.has_chunks:
        return [NOT_BUILT]
    return [
        *_unknown_names(connection, filters),
        *_unknown_title(connection, filters),
        *_unknown_session(connection, filters),
        *(no_time_between(filters.parameters()) or _no_dates(connection, filters)),
    ]


def no_dialogue(filters: Mapping[str, Any], *, is_empty: bool) -> list[str]:
    """Return why there is no dialogue, a sentence for each reason; ``is_empty`` says that the archive has none."""
    if is_empty:
        return [EMPTY_ARCHIVE]
    return no_time_between(filters) or ["no dialogue meets the conditions"]


def no_time_between(filters: Mapping[str, Any]) -> list[str]:
    """Return a sentence that says so if nothing can be at or after ``since`` and before ``until``, which have zones."""
    since, until = filters.get("since"), filters.get("until")
    if since is None or until is None or since < until:
        return []
    if since > until:
        return [f"no time is left: since ({_written(since)}) is later than until ({_written(until)})"]
    return [f"no time is left: since and until are both {_written(since)}; for one day, until is the next one"]


def in_titles(connection: psycopg.Connection[Any], text: str, filters: SearchFilters) -> list[str]:
    """Return a sentence that names dialogues whose titles have what no page has; none if no title has it either.

    Args:
        connection: on the archive.
        text: what was looked for: a part of a title, or words that it has.
        filters: what may be found; a dialogue is named if they let something of it through.
    """
    part = text.strip('"')
    if len(part) < _SHORTEST_TITLE:
        return []
    return _titled(connection, {"text": text, "pattern": like_part(part)}, filters)


def in_other_titles(
    connection: psycopg.Connection[Any], text: str, filters: SearchFilters, shown: Iterable[str]
) -> list[str]:
    """Return a sentence that names dialogues whose titles have all words of a text, unless a page of one is shown.

    Args:
        connection: on the archive.
        text: what was looked for; of a long one, nobody makes a title.
        filters: what may be found; a dialogue is named if they let something of it through.
        shown: names of the dialogues and documents whose pages are shown.
    """
    words = _folded_words(text)
    if not 0 < len(words) <= _MOST_WORDS_OF_TITLE or any(words <= _folded_words(name) for name in shown):
        return []
    return _titled(connection, {"text": text, "pattern": None}, filters)


def _folded_words(text: str) -> set[str]:
    return set(split_words(text.lower()))


def _titled(connection: psycopg.Connection[Any], asked: Mapping[str, Any], filters: SearchFilters) -> list[str]:
    limits = {"count": MOST_NAMED, "is_anything_allowed": filters.is_empty}
    found = filtered_rows(connection, "dialogues_by_title", _Titled, filters, {**asked, **limits})
    named = ", ".join(f"{each.partition_key} ({printable(each.title)})" for each in found)
    return [f"pages were searched; titles that have it: {named}"] if found else []


def near(name: str, known: Sequence[str]) -> list[str]:
    """Return the known names that are most like another one, those that it is a part of among them."""
    by_folded = {each.casefold(): each for each in reversed(known)}
    folded = name.casefold()
    alike = difflib.get_close_matches(folded, by_folded, n=MOST_NAMED, cutoff=_SIMILAR)
    alike += [each for each in map(str.casefold, known) if folded in each and each not in alike]
    return [by_folded[each] for each in alike[:MOST_NAMED]]


def _unknown_names(connection: psycopg.Connection[Any], filters: SearchFilters) -> list[str]:
    reasons = []
    for field, name in filters.values().items():
        declared = FILTERS[field].declared
        if declared.known is None:
            continue
        known = fetch_column(connection, f"search/{declared.known}", str)
        if name not in known:
            reasons.append(f"{declared.unknown} {name!r}; {_named(name, known)}")
    return reasons


def _named(name: str, known: Sequence[str]) -> str:
    alike = near(name, known)
    if alike:
        return f"like it: {', '.join(alike)}"
    if not known:
        return "none is known"
    more = f" and {len(known) - MOST_NAMED:,} more (`llm-archive stats`)" if len(known) > MOST_NAMED else ""
    return f"there are {', '.join(known[:MOST_NAMED])}{more}"


def _unknown_title(connection: psycopg.Connection[Any], filters: SearchFilters) -> list[str]:
    if filters.title is None:
        return []
    [is_known] = fetch_column(connection, "search/is_title_known", bool, filters.parameters())
    return [] if is_known else [f"no title has {filters.title!r}"]


def _unknown_session(connection: psycopg.Connection[Any], filters: SearchFilters) -> list[str]:
    if filters.session is None:
        return []
    [is_known] = fetch_column(connection, "search/is_session_known", bool, filters.parameters())
    return [] if is_known else [f"no dialogue has the id {filters.session!r} in its source"]


def _no_dates(connection: psycopg.Connection[Any], filters: SearchFilters) -> list[str]:
    if filters.since is None and filters.until is None:
        return []
    moments = filters.parameters()
    [known] = fetch_rows(connection, "search/known_dates", KnownDates)
    if known.first_at is None or known.last_at is None:
        return []
    is_late = "since" in moments and moments["since"] > known.last_at
    is_early = "until" in moments and moments["until"] <= known.first_at
    return [f"the archive goes from {_day(known.first_at)} to {_day(known.last_at)}"] if is_late or is_early else []


def _written(moment: datetime) -> str:
    """Return a moment as it may be given: a day where that is enough."""
    return _day(moment) if moment.timetz() == time(tzinfo=UTC) else moment.isoformat()


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"
