"""What is found, and what is said where nothing is, in the sample archive."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.retrieval.context.archive import build_context
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.relevance import NOTHING_RELEVANT
from archive_pipeline.retrieval.search.results import SearchResults
from archive_pipeline.retrieval.search.running import NO_PHRASE
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import chain, chatgpt, load

pytestmark = pytest.mark.postgres
README_QUESTION = "how do I keep sourdough alive in a cold kitchen"
# In April 2025 the sample archive speaks of the door log, in May of the picnic.
NOW = datetime(2025, 5, 24, tzinfo=UTC)
TRIALS = [
    "My flight from Oslo to Rome on the ninth of June was cancelled because of the strike of the ground crew, and I "
    f"would like to know whether I get the whole price of the ticket back or only a voucher, please, {name}."
    for name in ("dear team", "dear agent")
]


@pytest.fixture(scope="module")
def engine(archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchEngine]:
    pytest.importorskip("wordllama")
    empty(archive)
    with archive.session() as connection:
        connection.execute("DELETE FROM derived.embedding_generations")
    home = settings.with_values(home=tmp_path_factory.mktemp("quality"))
    import_archive(archive, read_paths([CHECKOUT / "examples" / "sample_archive"]))
    build_stale(archive, home)
    index_archive(archive, home)
    yield SearchEngine(archive, home, now=lambda: NOW)
    empty(archive)


def titles(results: SearchResults) -> set[str]:
    return {result["filename"] for result in results}


def test_the_question_of_the_readme_finds_sourdough_and_nothing_else(engine: SearchEngine):
    results = engine.search_now(README_QUESTION)
    assert titles(results) == {"Sourdough in a cold kitchen", "Cold kitchen, slow dough"}
    assert len(results) >= 3


@pytest.mark.parametrize("query", ["blorptang", "what is blorptang", "zzyqx vrumfle", "explain monads in simple terms"])
def test_nothing_relevant_is_said(engine: SearchEngine, query: str):
    results = engine.search_now(query)
    assert list(results) == []
    assert NOTHING_RELEVANT in results.notes
    built = asyncio.run(build_context(engine, query))
    assert built.context.sources == []
    assert NOTHING_RELEVANT in built.to_dict()["notes"]


def test_no_page_is_relevant_by_its_text_if_no_chunk_is(engine: SearchEngine):
    assert NOTHING_RELEVANT in engine.search_now("asdfghjkl qwertyuiop", 10, "visual").notes
    assert engine.search_now(README_QUESTION, 10, "visual")


def test_a_made_up_word_is_in_no_text_whatever_stands_around_it(engine: SearchEngine):
    assert engine.search_now("what is the blorptang", 10, "lexical") == []
    assert engine.search_now("what is it", 10, "lexical") != []


def test_before_chance_was_measured_everything_is_shown(engine: SearchEngine):
    with engine.database.session() as connection:
        connection.execute("UPDATE derived.embedding_generations SET chance_vector_count = NULL")
    assert len(engine.search_now("blorptang")) == 10
    index_archive(engine.database, engine.settings)
    assert engine.search_now("blorptang") == []


def test_a_question_that_was_found_shows_its_answer(engine: SearchEngine):
    found = engine.search_now(README_QUESTION)[:2]
    assert all(result["snippet"].startswith("My kitchen is only") for result in found)
    answers = {result["filename"]: result["answer"] for result in found}
    assert "Warm the dough rather than the kitchen" in answers["Cold kitchen, slow dough"]
    of_answers = engine.search_now("oven next to a jar of hot water", filters=SearchFilters(role="assistant"))
    assert of_answers[0]["answer"] is None


def test_a_time_in_the_query_is_a_filter_and_a_note_says_so(engine: SearchEngine):
    results = engine.search_now("the picnic this month")
    assert {result["metadata"]["answered_at"][:7] for result in results} == {"2025-05"}
    assert results.notes == (
        "'this month' was read as 2025-05-01 to 2025-05-31 (UTC); in quotes it is looked for as it is written",
    )
    assert "A dry day for the picnic" in titles(results)


def test_a_time_at_which_nothing_fits_hides_nothing(engine: SearchEngine):
    results = engine.search_now("sourdough in a cold kitchen last week")
    assert "Sourdough in a cold kitchen" in titles(results)
    assert results.notes[0].startswith("nothing of 2025-05-12 to 2025-05-18 (UTC), as which")


def test_times_can_be_taken_as_words(engine: SearchEngine):
    results = engine.search_now("sourdough last week", time_words=False)
    assert results != []
    assert results.notes == ()


def test_a_time_in_quotes_is_a_phrase(engine: SearchEngine):
    results = engine.search_now('sourdough "last week"')
    assert list(results) == []
    assert results.notes == (NO_PHRASE.format(where="no page", phrases='"last week"'),)


def test_trials_of_one_task_are_one_result(engine: SearchEngine, tmp_path: Path):
    trials = [
        chatgpt(f"trial{number}", chain(text, f"I will look at case {number} now.", prefix=f"t{number}-"), title="Case")
        for number, text in enumerate(TRIALS)
    ]
    load(engine.database, tmp_path / "trials.json", *trials, is_partial=True)
    build_stale(engine.database, engine.settings)
    index_archive(engine.database, engine.settings)
    query = "is the price of a cancelled flight to Rome paid back"
    assert len([result for result in engine.search_now(query) if result["filename"] == "Case"]) == 2
    refresh_duplicates(engine.database, engine.settings)
    [case] = [result for result in engine.search_now(query) if result["filename"] == "Case"]
    assert [other["filename"] for other in case["alternatives"]] == ["Case"]
