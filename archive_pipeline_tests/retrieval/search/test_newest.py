"""A query of nothing but a time lists the pages of that time. It is Wednesday, 18 June 2025."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.retrieval.context.builder import ContextBuilder
from archive_pipeline.retrieval.search import running
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.query import EXCLUDED
from archive_pipeline.retrieval.search.time_words import LISTED, NOTHING_OF
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import chain, chatgpt, claude, load
from archive_pipeline_tests.retrieval.search.archive import places

NOW = datetime(2025, 6, 18, 12, 30, tzinfo=UTC)
MARCH_1, MAY_5, MAY_20, JUNE_2 = (
    datetime(2025, *day, tzinfo=UTC).timestamp() for day in ((3, 1), (5, 5), (5, 20), (6, 2))
)
CITIES = ("Bergen", "Cork", "Hilo", "Oslo")
FERRET, ROOF, LARCH = (dialogue_id("chatgpt", name) for name in ("ferret", "roof", "larch"))


@pytest.fixture(scope="module")
def engine(archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchEngine]:
    home = settings.with_values(home=tmp_path_factory.mktemp("newest"))
    empty(archive)
    load(
        archive,
        home.home / "chatgpt.json",
        chatgpt(
            "roof", chain("Is the roof tight?", "It is.", "And the gutter?", "Clean it.", start=MAY_5), title="Roof"
        ),
        chatgpt("ferret", chain("What does a ferret eat?", "Meat.", start=MAY_20), title="Ferret"),
        *map(_stopped, CITIES),
        chatgpt("larch", chain("Is a larch green? I saw it yesterday.", "In summer.", start=JUNE_2), title="Larch"),
    )
    load(archive, home.home / "claude.json", claude("old", "How old is the oak?", "Very.", name="Oak"))
    build_stale(archive, home)
    yield SearchEngine(archive, home, now=lambda: NOW)
    empty(archive)


def _stopped(name: str) -> dict[str, Any]:
    """Return a dialogue whose user spoke twice and stopped the answer."""
    first, second, answer = chain(f"Rain in {name}?", "Or snow?", "Neither r", start=MARCH_1, prefix=name)
    said = [first, replace(second, role="user"), replace(answer, role="assistant", more={"status": "in_progress"})]
    return chatgpt(f"stopped-{name}", said)


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "text", "visual"])
def test_the_pages_of_a_time_are_listed_the_newest_first(engine: SearchEngine, mode: str):
    results = engine.search_now("in May 2025", 10, mode)
    assert places(results) == [(FERRET, 1), (ROOF, 2), (ROOF, 1)]
    assert results.notes == (LISTED.format(words="in May 2025", period="2025-05-01 to 2025-05-31"),)
    assert [result["score"] for result in results] == sorted((result["score"] for result in results), reverse=True)
    assert (results[0]["snippet"], results[0]["answer"]) == ("What does a ferret eat?", "Meat.")


def test_pages_without_an_answer_are_shown_by_what_the_user_said_first(engine: SearchEngine):
    results = engine.search_now("in March 2025")
    assert sorted(result["snippet"] for result in results) == [f"Rain in {city}?" for city in CITIES]


def test_so_many_are_listed_as_are_wanted(engine: SearchEngine):
    assert places(engine.search_now("in May 2025", 2)) == [(FERRET, 1), (ROOF, 2)]


@pytest.mark.parametrize(
    ("query", "is_listed"),
    [
        ("What did we talk about in May 2025?", True),
        ("show me everything from May 2025", True),
        ("US in May 2025", False),
        ('"talk" in May 2025', False),
        ("what did we say of a ferret in May 2025", False),
    ],
)
def test_words_that_only_ask_are_not_looked_for_beside_a_time(engine: SearchEngine, query: str, is_listed: bool):
    results = engine.search_now(query, 10, "lexical")
    assert (places(results) == [(FERRET, 1), (ROOF, 2), (ROOF, 1)]) is is_listed


def test_filters_and_exclusions_hold(engine: SearchEngine):
    results = engine.search_now("in May 2025 -gutter")
    assert places(results) == [(FERRET, 1), (ROOF, 1)]
    assert EXCLUDED.format(words='"-gutter"') in results.notes
    assert places(engine.search_now("in May 2025", filters=SearchFilters(title="roof"))) == [(ROOF, 2), (ROOF, 1)]


def test_what_is_excluded_takes_no_place_of_what_is_listed(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(running, "CHUNKS_PER_RESULT", 1)
    assert places(engine.search_now("in May 2025 -ferret", 1)) == [(ROOF, 2)]


def test_words_of_a_time_of_which_nothing_is_are_looked_for(engine: SearchEngine):
    results = engine.search_now("yesterday", 10, "lexical")
    assert places(results) == [(LARCH, 1)]
    assert results.notes[0] == NOTHING_OF.format(words="yesterday", period="2025-06-17")


@pytest.mark.parametrize(("query", "time_words"), [('"yesterday"', True), ("yesterday", False)])
def test_what_is_meant_literally_is_no_time(engine: SearchEngine, query: str, time_words: bool):
    results = engine.search_now(query, 10, "lexical", time_words=time_words)
    assert places(results) == [(LARCH, 1)]
    assert results.notes == ()


def test_a_context_has_the_pages_of_a_time(engine: SearchEngine):
    context = asyncio.run(ContextBuilder(engine, engine.pages).build_context("in May 2025"))
    assert [(source.doc_id, source.page) for source in context.sources] == [(FERRET, 1), (ROOF, 2), (ROOF, 1)]
