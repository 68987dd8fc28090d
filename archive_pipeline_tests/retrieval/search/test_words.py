"""Words that begin alike, and words that pages must not have, by the postings of a real archive."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.running import ONLY_EXCLUDED
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import Said, chain, chatgpt, load
from archive_pipeline_tests.retrieval.search.archive import places

TOGETHER = " ".join(f"bread{number}" for number in range(250))
ONLY_LATER = " ".join(f"loaf{number}" for number in range(250))
# The same with one word more; what follows is new, and in chunks of its own.
ANEW = f"gasburner {TOGETHER}.\n\n{ONLY_LATER} quokka."

RYE = chatgpt(
    "rye",
    [
        Said("q", None, "user", "How is rye baked?", 1_704_067_200.0),
        Said("a", "q", "assistant", f"{TOGETHER}.", 1_704_067_201.0),
        Said("b", "q", "assistant", ANEW, 1_704_067_202.0),
        Said("q2", "a", "user", "And then?", 1_704_067_203.0),
        Said("c", "q2", "assistant", "Let it cool.", 1_704_067_204.0),
    ],
    title="Rye",
    current="c",
)
TALKS = [
    chatgpt(
        f"talk{number}",
        chain(f"Tell of ba{number}0 and ba{number}1 in January", f"banana{number} bark{number}", start=1_704_067_300.0),
    )
    for number in range(6)
]


@pytest.fixture(scope="module")
def engine(archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchEngine]:
    home = settings.with_values(home=tmp_path_factory.mktemp("words"))
    empty(archive)
    load(archive, home.home / "chatgpt.json", RYE, *TALKS)
    build_stale(archive, home)
    yield SearchEngine(archive, home)
    empty(archive)


def found(engine: SearchEngine, query: str) -> list[str]:
    return [dialogue for dialogue, _ in places(engine.search_now(query, 20, "lexical"))]


def test_words_that_all_chunks_have_several_of_begin_alike(engine: SearchEngine):
    results = engine.search_now("ba*", 20, "lexical")
    assert {result["doc_id"] for result in results} >= {dialogue_id("chatgpt", f"talk{number}") for number in range(6)}
    assert all(0 < result["score"] <= 1 for result in results)


def test_a_beginning_is_as_frequent_as_the_chunks_that_have_it(engine: SearchEngine):
    """Two words of each of six chunks begin with "ba0" to "ba5": a beginning of many words is no better than a word."""
    [first, *_] = engine.search_now("ba0*", 1, "lexical")
    [word, *_] = engine.search_now("ba00", 1, "lexical")
    assert first["scores"]["lexical"] == pytest.approx(word["scores"]["lexical"])


def test_what_is_excluded_is_looked_for_in_chunks_that_are_not_found(engine: SearchEngine):
    with engine.database.session() as connection:
        unknown = connection.execute(
            "SELECT count(*) FROM derived.qa_chunks WHERE is_near_duplicate AND text LIKE '%gasburner%'"
        ).fetchone()
    assert unknown == (1,)
    assert found(engine, "quokka") == [dialogue_id("chatgpt", "rye")]
    assert found(engine, "quokka -gasburner") == []
    assert found(engine, 'quokka -"gasburner bread0') == []
    assert found(engine, "quokka -gasburners*") == [dialogue_id("chatgpt", "rye")]


def test_a_query_that_only_excludes_says_so(engine: SearchEngine):
    results = engine.search_now("-quokka", 20, "lexical")
    assert not list(results)
    assert ONLY_EXCLUDED in results.notes


def test_words_of_a_time_alone_find_nothing(engine: SearchEngine):
    nowhere = engine.search_now("blorptang in January 2021", 20, "lexical")
    assert list(nowhere) == []
    elsewhere = engine.search_now("quokka in January 2021", 20, "lexical")
    assert dialogue_id("chatgpt", "rye") in {result["doc_id"] for result in elsewhere}
    assert any("this is from any time" in note for note in elsewhere.notes)


def test_what_is_excluded_counts_however_much_is_asked_for(engine: SearchEngine):
    many = " ".join(f"filler{number}" for number in range(60))
    assert found(engine, f"{many} quokka") == []  # beyond the first terms
    assert found(engine, f"quokka {many}") == [dialogue_id("chatgpt", "rye")]
    assert found(engine, f"quokka {many} -loaf7") == []
