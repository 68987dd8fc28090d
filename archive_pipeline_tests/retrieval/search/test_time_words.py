"""Times in queries become filters. It is Wednesday, 18 June 2025."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.retrieval.search.filters import NO_FILTERS, SearchFilters
from archive_pipeline.retrieval.search.query import parse_query
from archive_pipeline.retrieval.search.time_words import (
    LISTED,
    NOTHING_OF,
    NOTHING_THEN,
    READ_AS_TIME,
    TimedQuery,
    read_time,
)

NOW = datetime(2025, 6, 18, 12, 30, tzinfo=UTC)


def read(text: str, filters: SearchFilters = NO_FILTERS) -> TimedQuery | None:
    return read_time(parse_query(text), filters, NOW)


def day(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "since", "until"),
    [
        ("today", "2025-06-18", "2025-06-19"),
        ("yesterday", "2025-06-17", "2025-06-18"),
        ("the day before yesterday", "2025-06-16", "2025-06-17"),
        ("last week", "2025-06-09", "2025-06-16"),
        ("this week", "2025-06-16", "2025-06-23"),
        ("three weeks ago", "2025-05-26", "2025-06-02"),
        ("a week ago", "2025-06-09", "2025-06-16"),
        ("10 days ago", "2025-06-08", "2025-06-09"),
        ("a couple of months ago", "2025-04-01", "2025-05-01"),
        ("six months ago", "2024-12-01", "2025-01-01"),
        ("last month", "2025-05-01", "2025-06-01"),
        ("last year", "2024-01-01", "2025-01-01"),
        ("in the past 7 days", "2025-06-11", "2025-06-19"),
        ("last Monday", "2025-06-16", "2025-06-17"),
        ("last Wednesday", "2025-06-11", "2025-06-12"),
        ("in May 2024", "2024-05-01", "2024-06-01"),
        ("May 2024", "2024-05-01", "2024-06-01"),
        ("in December, 2023", "2023-12-01", "2024-01-01"),
        ("in March", "2025-03-01", "2025-04-01"),
        ("in September", "2024-09-01", "2024-10-01"),
        ("in 2024", "2024-01-01", "2025-01-01"),
        ("on 5 May 2024", "2024-05-05", "2024-05-06"),
        ("on May 5th, 2024", "2024-05-05", "2024-05-06"),
        ("on 2024-05-05", "2024-05-05", "2024-05-06"),
        ("on the 5th of May 2024", "2024-05-05", "2024-05-06"),
        ("on May 5", "2025-05-05", "2025-05-06"),
        ("on 5 September", "2024-09-05", "2024-09-06"),
        ("since the 18th of June", "2025-06-18", None),
        ("of May 2024", "2024-05-01", "2024-06-01"),
        ("in May of 2024", "2024-05-01", "2024-06-01"),
        ("since May 2024", "2024-05-01", None),
        ("after May 2024", "2024-06-01", None),
        ("before last week", None, "2025-06-09"),
        ("between May 2024 and July 2024", "2024-05-01", "2024-08-01"),
        ("from January to March", "2025-01-01", "2025-04-01"),
        ("from May to March", "2024-05-01", "2025-04-01"),
        ("from November to January", "2024-11-01", "2025-02-01"),
        ("from September to March 2023", "2022-09-01", "2023-04-01"),
        ("between May 5 and May 10", "2025-05-05", "2025-05-11"),
        ("in Apr 2024", "2024-04-01", "2024-05-01"),
        ("Sept. 2024", "2024-09-01", "2024-10-01"),
        ("on Apr. 5, 2024", "2024-04-05", "2024-04-06"),
        ("between Nov and Mar 2024", "2023-11-01", "2024-04-01"),
        ("in early April 2024", "2024-04-01", "2024-04-11"),
        ("mid-April 2024", "2024-04-11", "2024-04-21"),
        ("in late Feb 2024", "2024-02-21", "2024-03-01"),
        ("in mid to late April 2024", "2024-04-11", "2024-05-01"),
        ("in mid-April", "2025-04-11", "2025-04-21"),
        ("in early 2024", "2024-01-01", "2024-05-01"),
        ("since mid-2024", "2024-05-01", None),
        ("from late 2023 to mid 2024", "2023-09-01", "2024-09-01"),
        ("in 2024-04", "2024-04-01", "2024-05-01"),
        ("before 2024-04", None, "2024-04-01"),
        ("from 2024-11 to 2025-01", "2024-11-01", "2025-02-01"),
        ("on 15.04.2024", "2024-04-15", "2024-04-16"),
        ("Q2 2024", "2024-04-01", "2024-07-01"),
        ("in Q4 of 2024", "2024-10-01", "2025-01-01"),
        ("in 2024 Q1", "2024-01-01", "2024-04-01"),
        ("in spring 2024", "2024-03-01", "2024-06-01"),
        ("in the summer of 2023", "2023-06-01", "2023-09-01"),
        ("in fall 2023", "2023-09-01", "2023-12-01"),
        ("winter 2024", "2024-12-01", "2025-03-01"),
        ("this spring", "2025-03-01", "2025-06-01"),
        ("this summer", "2025-06-01", "2025-09-01"),
        ("last spring", "2025-03-01", "2025-06-01"),
        ("last summer", "2024-06-01", "2024-09-01"),
        ("last fall", "2024-09-01", "2024-12-01"),
    ],
)
def test_times_that_are_read(words: str, since: str | None, until: str | None):
    timed = read(f"what did we say {words} about the roof?")
    assert timed is not None
    assert (timed.filters.since, timed.filters.until) == (day(since), day(until))
    assert timed.words == words
    assert timed.query.text == "what did we say about the roof?"


@pytest.mark.parametrize(
    "text",
    [
        'the song "yesterday"',
        "the song \u201cyesterday\u201d",
        "roof -yesterday",
        "may I march on",
        "the 2024 model of the car",
        "next week",
        "in 2031 we will move",
        "on 31 June 2024",
        "999 years ago the castle",
        "the week-ago-plan",
        "lunch today and yesterday",
        "the ferret in 2024 and 2025",
        "the ferret in May, June and July",
        "the ferret in May 5 weeks old",
        "the five roofs of May",
        "an essay of 2000 words",
        "flights from 31 June 2024 to July 2024",
        "top 5 May songs",
        "the weekly report",
        "python 3.12",
        "error 2024 of the garden",
        "the garden 2024",
        "the release 2024-04",
        "15.04.2024 as a number",
        "since version 2024.1",
        "fixed in 2024.1.3",
        "in 2024/25",
        "in 2024-13",
        "on 31.02.2024",
        "since 1.2.2024",
        "a letter from Jan",
        "the sea, in Mar",
        "the late 2013 computer",
        "a late May frost",
        "winter 2024/25",
        "what to plant in spring",
        "the fall of 1990 points",
        "an injury after this fall",
        "the summer of 1969",
        "this autumn",
        "late to early April 2024",
        "Jan and Mar 2024",
        "in spring and summer 2023",
        "Q1 to Q3 2024",
    ],
)
def test_what_is_no_time_of_the_past_stays(text: str):
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "excluded"), [("yesterday", []), ("in May 2024?", []), ("-roof in May 2024", ["roof"])]
)
def test_a_query_of_nothing_but_a_time_wants_nothing_else(text: str, excluded: list[str]):
    timed = read(text)
    assert timed is not None
    assert timed.query.wanted == []
    assert [term.text for term in timed.query.excluded] == excluded


def test_a_filter_that_is_set_decides():
    assert read("the roof last week", SearchFilters(since=NOW)) is None
    timed = read("the roof last week", SearchFilters(source="chatgpt"))
    assert timed is not None
    assert timed.filters.source == "chatgpt"


def test_the_period_is_said():
    said = {
        text: timed.said
        for text in ("a yesterday", "a last week", "a since 2024", "a before 2024")
        if (timed := read(text))
    }
    assert list(said.values()) == ["2025-06-17", "2025-06-09 to 2025-06-15", "since 2024-01-01", "before 2024-01-01"]


@pytest.mark.parametrize(
    ("now", "words", "since"),
    [
        ("2026-01-15", "this winter", "2025-12-01"),
        ("2026-01-15", "last winter", "2024-12-01"),
        ("2025-12-15", "this winter", "2025-12-01"),
        ("2025-04-15", "last spring", "2024-03-01"),
    ],
)
def test_a_season_that_goes_on_is_this_one_and_not_the_last_one(now: str, words: str, since: str):
    timed = read_time(parse_query(f"the roof {words}"), NO_FILTERS, datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert timed is not None
    assert timed.filters.since == day(since)


@given(st.text(min_size=1).filter(str.strip))
def test_any_text_is_read_or_not(text: str):
    try:
        parse_query(text)
    except ValueError:
        return
    timed = read(text)
    assert timed is None or timed.words in " ".join(text.split())


@pytest.mark.parametrize("note", [READ_AS_TIME, LISTED, NOTHING_OF, NOTHING_THEN])
def test_each_note_names_the_words_and_the_period(note: str):
    timed = read("in May 2024")
    assert timed is not None
    assert "'in May 2024'" in timed.told(note)
    assert "2024-05-01 to 2024-05-31 (UTC)" in timed.told(note)
