"""``SearchEngine`` on real PostgreSQL, with vectors there and in real Chroma, and the model that is installed."""

from __future__ import annotations

import asyncio
import math
import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.cli.citations import cited
from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.errors import InvalidQueryError, VectorStoreError
from archive_pipeline.retrieval.context.archive import build_context
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.search import engine as search_engine
from archive_pipeline.retrieval.search import rankings
from archive_pipeline.retrieval.search.engine import FOUND_WITHOUT_FILTERS, SearchEngine
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.query import parse_query
from archive_pipeline.retrieval.search.relevance import NOTHING_FILTERED_RELEVANT
from archive_pipeline.retrieval.search.retrievers import base, lexical
from archive_pipeline.retrieval.search.retrievers.base import chunk_details
from archive_pipeline.retrieval.search.retrievers.lexical import Vocabulary, find_lexically, read_vocabulary
from archive_pipeline.retrieval.search.retrievers.visual import PAGES_ARE_TEXT
from archive_pipeline.retrieval.search.running import NO_WORDS, NONE_ALLOWED
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.retrieval.search.archive import import_all, key, places
from archive_pipeline_tests.retrieval.visual.test_search import ColourEncoder
from archive_pipeline_tests.variants import some_of

MODES = ("hybrid", "text", "lexical", "visual")
JANUARY_2 = datetime(2024, 1, 2, tzinfo=UTC)


@pytest.fixture(scope="module", params=list(VectorStore))
def engine(
    request: pytest.FixtureRequest, archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SearchEngine]:
    """The small archive, indexed in each store; tests only read it."""
    if request.param is VectorStore.CHROMA:
        pytest.importorskip("chromadb")
    home = settings.with_values(home=tmp_path_factory.mktemp("search"), vector_index=request.param)
    empty(archive)
    with archive.session() as connection:
        connection.execute("DELETE FROM derived.embedding_generations")
    import_all(archive, home, home.home / "exports")
    index_archive(archive, home)
    with archive.session() as connection:
        connection.execute("ANALYZE derived.qa_chunks, derived.document_chunks")  # as they were left by other tests
    yield SearchEngine(archive, home)
    empty(archive)


def found(engine: SearchEngine, query: str, mode: str = "hybrid", **filters: object) -> list[tuple[str, int]]:
    return places(engine.search_now(query, 10, mode, filters=SearchFilters(**filters)))  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_finds_the_page(engine: SearchEngine, mode: str):
    results = engine.search_now("sourdough bread in a cold kitchen", 3, mode)
    first = results[0]
    assert (first["doc_id"], first["page"]) == (key("bread"), 1)
    assert first["filename"] == "Baking"
    assert 0 < first["score"] <= 1
    assert set(first["scores"]) == set(first["ranks"]) == set(results.retrievers)
    assert results.degraded == {}
    assert results.notes == ((PAGES_ARE_TEXT,) if mode == "visual" else ())


def test_a_result_has_the_fields_that_are_documented(engine: SearchEngine):
    result = engine.search_now("how hot is the oven", 1)[0]
    assert result["page"] == 2
    assert result["snippet"] in {
        "And how hot is the oven for the loaves?",
        "Preheat it to 240 degrees, with a baking stone on the rack.",
    }
    assert result["metadata"]["source"] == "chatgpt"
    assert result["metadata"]["model"] == "gpt-4o"
    assert result["metadata"]["pair_type"] == "conversation_turn"
    assert result["metadata"]["answered_at"] == "2024-01-01T00:00:03+00:00"
    assert result["metadata"]["extension"] == "md"
    assert result["is_abandoned_branch"] is False


def test_meaning_is_found_without_a_word_in_common(engine: SearchEngine):
    query = "stove temperature"
    assert found(engine, query, "lexical") == []
    assert found(engine, query, "text")[0] == (key("bread"), 2)
    assert found(engine, query)[0] == (key("bread"), 2)


@pytest.mark.parametrize(
    ("query", "dialogue"),
    [
        ("parseHttpHeaders", "code"),
        ("parsehttpheaders", "code"),
        ("headers", "code"),  # part of an identifier
        ("csv", "code"),  # of read_csv_rows
        ("http_client.py", "code"),
        ("http_client", "code"),
        ("parseHttp*", "code"),
        ("kitchens", "bread"),
        ("baked", "bread"),
        ("Haus", "german"),  # German: Häuser
        ("面包", "chinese"),
        ("发酵", "chinese"),
        ('"几个小时"', "chinese"),
        ("面包*", "chinese"),
        ('"two and a half times"', "planets"),
    ],
)
def test_words_forms_and_identifiers(engine: SearchEngine, query: str, dialogue: str):
    assert {document for document, _ in found(engine, query, "lexical")} == {key(dialogue)}


@pytest.mark.parametrize(
    "query",
    [
        "unheard",
        '"gravity strongest"',  # not in this order
        "gravity -jupiter -planet -neptune",
        'oven -"baking stone" -loaves',
        "?!",
        "-oven",
        "包面",
        "面包 -小时",
    ],
)
def test_nothing_is_found_by_words(engine: SearchEngine, query: str):
    assert found(engine, query, "lexical") == []


@pytest.mark.parametrize("query", ["planets_and_moons", '"100% planets"', "planets_and_moons -nothing"])
def test_titles_that_have_what_no_page_has_are_named(engine: SearchEngine, query: str):
    results = engine.search_now(query, search_mode="lexical")
    assert list(results) == []
    assert "pages were searched; titles that have it: chatgpt-planets (100% planets_and_moons)" in results.notes
    assert not [note for note in engine.search_now("planetsXand", search_mode="lexical").notes if "titles" in note]


@pytest.mark.parametrize(
    ("filters", "is_named"),
    [({"model": "gpt-4o"}, False), ({"since": JANUARY_2}, False), ({"until": JANUARY_2, "title": "moons"}, True)],
    ids=str,
)
def test_titles_are_named_of_dialogues_that_the_filters_let_through(
    engine: SearchEngine, filters: dict[str, Any], is_named: bool
):
    notes = engine.search_now("planets_and_moons", 10, "lexical", filters=SearchFilters(**filters)).notes
    assert any("chatgpt-planets" in note for note in notes) is is_named


@pytest.mark.parametrize(
    ("query", "filters", "notes"),
    [
        ("sourdough", {"source": "chatgpt", "title": "bug"}, (FOUND_WITHOUT_FILTERS, NONE_ALLOWED)),
        ("sourdough", {"title": "bug"}, (FOUND_WITHOUT_FILTERS, NOTHING_FILTERED_RELEVANT)),
        ("blorptang", {"title": "bug"}, (NOTHING_FILTERED_RELEVANT,)),
    ],
)
def test_what_filters_take_away_is_not_blamed_on_the_words(
    engine: SearchEngine, query: str, filters: dict[str, Any], notes: tuple[str, ...]
):
    results = engine.search_now(query, filters=SearchFilters(**filters))
    assert (list(results), results.notes) == ([], notes)


@pytest.mark.parametrize("query", ["--", '-"', "-", '"', "*", "?!", "🍞"])
def test_of_a_query_of_signs_only_it_is_said_that_it_has_no_words(engine: SearchEngine, query: str):
    results = engine.search_now(query)
    assert (list(results), results.notes) == ([], (NO_WORDS,))


@pytest.mark.parametrize("mode", MODES)
def test_pages_with_an_excluded_term_are_not_found_in_any_mode(engine: SearchEngine, mode: str):
    page = (key("bread"), 2)
    assert page in found(engine, "hot oven for bread", mode)
    # The answer has the words, the question is what would be found.
    assert page not in found(engine, 'hot oven for bread -"baking stone"', mode)
    assert found(engine, "-oven", mode) == []


def test_the_score_of_a_term_is_its_rarity(engine: SearchEngine):
    with engine.database.session() as connection:
        (chunks,) = connection.execute("SELECT count(*) FROM derived.qa_chunks").fetchone() or (0,)
    score = engine.search_now("astronaut", 1, "lexical")[0]["scores"]["lexical"]
    # In one of all chunks: ln(1 + all / 1), up to twice that where terms stand close together.
    assert math.log(1 + chunks) <= score <= 2 * math.log(1 + chunks)


def test_words_that_are_everywhere_count_if_there_is_nothing_else(engine: SearchEngine):
    assert found(engine, "and the", "lexical")
    # Beside a word that tells, they add no pages.
    assert found(engine, "the rack and the of", "lexical") == [(key("bread"), 2)]


def test_words_in_many_chunks_count_only_if_nothing_else_is_found(
    engine: SearchEngine, monkeypatch: pytest.MonkeyPatch
):
    def pages(text: str) -> set[tuple[str, int]]:
        with engine.database.session() as connection:
            vocabulary = Vocabulary(["english"] * 3)
            ranked = find_lexically(connection, parse_query(text), vocabulary=vocabulary, allowed=None, most=50)
            rows = chunk_details(connection, ranked.ids, SearchFilters())
        return {(row.doc_id, row.page) for row in rows.values()}

    oven, planets = (key("bread"), 2), (key("planets"), 1)
    assert pages("oven gravity") >= {oven, planets}
    monkeypatch.setattr(lexical, "COMMON", 1)  # a word in two of about ten chunks is common then
    monkeypatch.setattr(lexical, "COMMON_SHARE", 0)
    assert pages("oven gravity") == {oven}
    assert planets in pages("unheard gravity")
    assert pages('oven "gravity gravity"') == {oven}


def test_regenerations_are_one_result_with_alternatives(engine: SearchEngine):
    results = engine.search_now("Jupiter gravity", 10, "lexical")
    of_planets = [result for result in results if result["doc_id"] == key("planets")]
    assert len(of_planets) == 1
    pages = {of_planets[0]["page"], *(other["page"] for other in of_planets[0]["alternatives"])}
    assert len(pages) == 1 + len(of_planets[0]["alternatives"]) > 1
    flags = {of_planets[0]["page"]: of_planets[0]["is_abandoned_branch"]}
    flags |= {other["page"]: other["is_abandoned_branch"] for other in of_planets[0]["alternatives"]}
    # Pages 1 and 2 are the primary path; the answers that were not continued come after it.
    assert all(is_abandoned == (page > 2) for page, is_abandoned in flags.items())


def test_an_abandoned_answer_is_found_and_flagged(engine: SearchEngine):
    result = engine.search_now("rings of ice and dust", 1)[0]
    assert result["doc_id"] == key("planets")
    assert result["is_abandoned_branch"]
    assert "Saturn" in result["snippet"]


# Hybrid asks what the last two modes ask, and has nothing else.
@pytest.mark.parametrize("mode", some_of(["hybrid", "visual", "text", "lexical"], 2))
@pytest.mark.parametrize(
    ("filters", "dialogues"),
    [
        ({"source": "chatgpt"}, {"bread", "planets"}),
        ({"source": "claude_ai"}, {"code", "german", "chinese"}),
        ({"source": "document"}, set()),
        ({"model": "gpt-4o"}, {"bread"}),
        ({"title": "bAKing"}, {"bread"}),
        ({"title": "100% planets_"}, {"planets"}),
        ({"title": "%"}, {"planets"}),
        ({"title": "_"}, {"planets"}),
        ({"until": JANUARY_2}, {"bread", "planets"}),
        ({"since": JANUARY_2}, {"code", "german", "chinese"}),
        ({"branch": "abandoned"}, {"planets"}),
        ({"pair_type": "trace_pair"}, set()),
        ({"source": "chatgpt", "title": "bug"}, set()),
    ],
    ids=lambda value: None if isinstance(value, set) else str(value),  # sets have no order to name a test by
)
def test_filters(engine: SearchEngine, mode: str, filters: dict[str, object], dialogues: set[str]):
    query = "bread planet gravity headers Häuser 面包"
    assert {document for document, _ in found(engine, query, mode, **filters)} == {key(name) for name in dialogues}


def test_the_role_is_that_of_what_is_found(engine: SearchEngine):
    for role, snippet in (("user", "How do I bake"), ("assistant", "Use warmer water")):
        result = engine.search_now("dough sourdough", 1, filters=SearchFilters(role=role))[0]  # type: ignore[arg-type]
        assert result["metadata"]["role"] == role
        assert result["snippet"].startswith(snippet)


@pytest.mark.parametrize("mode", ["hybrid", "text", "lexical"])
def test_wide_and_narrow_filters_find_the_same(engine: SearchEngine, mode: str, monkeypatch: pytest.MonkeyPatch):
    narrow = found(engine, "gravity of planets", mode, source="chatgpt")
    monkeypatch.setattr(base, "MOST_ALLOWED", 0)
    assert found(engine, "gravity of planets", mode, source="chatgpt") == narrow


@pytest.mark.parametrize("mode", ["text", "lexical"])
def test_what_wide_filters_and_exclusions_take_away_leaves_its_place(
    engine: SearchEngine, mode: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(rankings, "FEWEST_CHUNKS", 1)
    monkeypatch.setattr(rankings, "CHUNKS_PER_RESULT", 1)
    monkeypatch.setattr(base, "MOST_ALLOWED", 0)
    assert places(engine.search_now("sourdough bread dough headers", 1, mode))[0][0] == key("bread")
    for query, filters in (
        ("sourdough bread dough headers", {"source": "claude_ai"}),
        ("sourdough bread dough headers -bread -dough", {}),
    ):
        results = engine.search_now(query, 1, mode, filters=SearchFilters(**filters))
        assert {doc for doc, _ in places(results)} == {key("code")}


def test_the_number_of_results_is_kept_and_fewer_are_the_first_of_more(engine: SearchEngine):
    ten = places(engine.search_now("bread planet headers", 10))
    for number in (1, 2, 3):
        assert places(engine.search_now("bread planet headers", number)) == ten[:number]


@pytest.mark.parametrize(
    ("query", "number", "mode", "message"),
    [
        ("", 10, "hybrid", "the query is empty"),
        ("x" * 2**20, 10, "text", "1,048,576 characters"),
        ("x", 0, "hybrid", "0 results cannot be asked for; use 1 to 1,000"),
        ("x", 1_001, "hybrid", "1001 results cannot be asked for"),
        ("x", 1, "telepathy", "no search mode is called 'telepathy'; there are hybrid, text, visual, lexical"),
    ],
)
def test_bad_input(engine: SearchEngine, query: str, number: int, mode: str, message: str):
    with pytest.raises(InvalidQueryError, match=message):
        engine.search_now(query, number, mode)


def test_many_searches_at_once(engine: SearchEngine):
    alone = places(engine.search_now("gravity of planets"))

    async def all_at_once() -> list[list[tuple[str, int]]]:
        return [places(results) for results in await asyncio.gather(*[engine.search("gravity of planets")] * 12)]

    assert asyncio.run(all_at_once()) == [alone] * 12


def test_engines_that_are_opened_at_once(engine: SearchEngine):
    def search(_number: int) -> list[tuple[str, int]]:
        return places(SearchEngine(engine.database, engine.settings).search_now("gravity of planets"))

    with ThreadPoolExecutor(8) as threads:
        assert len(set(map(tuple, threads.map(search, range(8))))) == 1


def test_threads_that_need_the_visual_model_at_once_load_it_once(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    loaded = []
    both_asked = threading.Barrier(2)

    def load_model(_settings: Settings) -> ColourEncoder:
        loaded.append(ColourEncoder())
        time.sleep(0.2)  # for the other one to come in, if it may
        return loaded[-1]

    def ask(own: SearchEngine) -> object:
        both_asked.wait()
        return own.encoder()

    monkeypatch.setattr(search_engine, "open_encoder", load_model)
    own = SearchEngine(engine.database, engine.settings)
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(ask, [own, own])) == loaded * 2
    assert len(loaded) == 1


@pytest.fixture(params=list(VectorStore))
def small(request: pytest.FixtureRequest, database: Database, settings: Settings, tmp_path: Path) -> SearchEngine:
    """One dialogue without an index, which is to be in each store."""
    if request.param is VectorStore.CHROMA:
        pytest.importorskip("chromadb")
    home = settings.with_values(home=tmp_path, vector_index=request.param)
    load(database, tmp_path / "a.json", chatgpt("a", chain("What is yeast?", "A fungus that raises dough.")))
    build_stale(database, home)
    return SearchEngine(database, home)


def test_without_an_index_words_are_found_and_the_rest_is_named(small: SearchEngine):
    results = small.search_now("yeast")
    assert len(results) == 1
    assert results.retrievers == ("lexical",)
    assert set(results.degraded) == {"dense"}
    assert "llm-archive index" in results.degraded["dense"]
    with pytest.raises(VectorStoreError, match="llm-archive index"):
        small.search_now("yeast", 10, "text")


def test_copies_are_one_result_and_its_alternatives(small: SearchEngine, tmp_path: Path):
    fork = chain("What is yeast?", "A fungus that raises dough.", "And what does it eat?", "Sugar, for the most part.")
    load(small.database, tmp_path / "b.json", chatgpt("b", fork, title="A fork"))
    build_stale(small.database, small.settings)
    index_archive(small.database, small.settings)
    for mode in MODES:
        original, *others = small.search_now("yeast", 10, mode)
        copies = {(original["doc_id"], original["page"]): original["filename"]}
        copies |= {(other["doc_id"], other["page"]): other["filename"] for other in original["alternatives"]}
        assert copies == {(dialogue_id("chatgpt", "a"), 1): "A chat", (dialogue_id("chatgpt", "b"), 1): "A fork"}, mode
        assert {(other["doc_id"], other["page"]) for other in others} <= {(dialogue_id("chatgpt", "b"), 2)}, mode


@pytest.mark.parametrize("small", [VectorStore.POSTGRES], indirect=True)
def test_dialogues_that_ask_the_same_by_themselves_are_one_result_and_all_in_a_context(
    small: SearchEngine, tmp_path: Path
):
    said = {"b": "Single cells that ferment sugar.", "c": "A fungus that raises dough."}
    asked = [chatgpt(name, chain("What is yeast?", said[name], prefix=name), title=f"Talk {name}") for name in said]
    load(small.database, tmp_path / "asked.json", *asked, is_partial=True)
    build_stale(small.database, small.settings)
    [result] = small.search_now("what is yeast", 10, "lexical")
    own, same = sorted(result["alternatives"], key=lambda other: other["partition_key"])
    assert (own["partition_key"], own["answer"], own["is_independent"]) == ("chatgpt-b", said["b"], True)
    assert (same["partition_key"], same["answer"], same["is_independent"]) == ("chatgpt-c", said["c"], False)
    built = asyncio.run(build_context(small, "what is yeast", mode="lexical"))
    first, second = built.context.sources
    assert first.markdown_content.endswith(said["c"])
    assert second.markdown_content.endswith(said["b"])
    assert second.answered_at == own["answered_at"]
    assert cited(2, second, built.results) == "[2] Talk b, page 1 (chatgpt-b)"
    assert built.context.left_out == {"alternative": 1}


@pytest.mark.parametrize("small", [VectorStore.POSTGRES], indirect=True)
def test_dialogues_whose_titles_have_all_words_are_named_unless_a_page_of_one_is_shown(
    small: SearchEngine, tmp_path: Path
):
    titled = chatgpt("b", chain("Is it alive?", "No longer."), title="Yeast, the dead")
    load(small.database, tmp_path / "b.json", titled, is_partial=True)
    build_stale(small.database, small.settings)
    named = "pages were searched; titles that have it: chatgpt-b (Yeast, the dead)"

    def notes(query: str, **filters: Any) -> tuple[str, ...]:
        results = small.search_now(query, 10, "lexical", filters=SearchFilters(**filters))
        assert results
        return results.notes

    assert notes("dead yeast") == (named,)
    assert notes("dead fungus") == notes("dead yeast", title="chat") == notes("dead yeast alive") == ()


def test_an_empty_archive_has_nothing(database: Database, settings: Settings, tmp_path: Path):
    results = SearchEngine(database, settings.with_values(home=tmp_path)).search_now("anything")
    assert list(results) == []


def test_a_stem_of_another_language_that_is_a_common_word_is_no_form(small: SearchEngine, tmp_path: Path):
    french = "Comment va la famille ?", "Elle va très bien, et les enfants jouent dans le jardin avec leurs amis."
    english = [
        ("Can it be faster for a million rows?", "It may be, with an index on the column that is asked for."),
        ("How much food do my bees need in winter?", "A colony of bees eats about twenty kilograms of honey."),
    ]
    for name, said in zip("xyz", [french, *english], strict=True):
        load(small.database, tmp_path / "more.json", chatgpt(name, chain(*said)))
    build_stale(small.database, small.settings)
    with small.database.session() as connection:
        assert "french" in read_vocabulary(connection).languages
    assert found(small, "bees", "lexical") == [(dialogue_id("chatgpt", "z"), 1)]


def test_what_is_imported_later_is_found_by_words_at_once_and_by_meaning_once_indexed(
    small: SearchEngine, tmp_path: Path
):
    index_archive(small.database, small.settings)
    assert found(small, "raises dough", "text")
    load(small.database, tmp_path / "b.json", chatgpt("b", chain("What is rennet?", "It curdles milk for cheese.")))
    build_stale(small.database, small.settings)
    new = [(dialogue_id("chatgpt", "b"), 1)]
    assert found(small, "rennet", "lexical") == new
    assert new[0] not in found(small, "rennet", "text")
    index_archive(small.database, small.settings)
    assert found(small, "rennet", "text")[0] == new[0]


def test_a_deleted_dialogue_is_not_found_even_before_the_index_follows(small: SearchEngine):
    index_archive(small.database, small.settings)
    with small.database.session() as connection:
        connection.execute("DELETE FROM raw.dialogues")
    for mode in MODES:
        assert found(small, "yeast", mode) == []


@pytest.mark.parametrize("small", [VectorStore.CHROMA], indirect=True)
def test_a_broken_vector_store_is_named_and_words_are_found(small: SearchEngine):
    shared_system_client = pytest.importorskip("chromadb.api.shared_system_client")
    index_archive(small.database, small.settings)
    shutil.rmtree(small.settings.chroma_folder)
    small.settings.chroma_folder.mkdir()
    (small.settings.chroma_folder / "chroma.sqlite3").write_bytes(b"not a database at all" * 100)
    shared_system_client.SharedSystemClient.clear_system_cache()  # as another process would find it
    broken = SearchEngine(small.database, small.settings)
    results = broken.search_now("yeast")
    assert results.retrievers == ("lexical",)
    assert "llm-archive index --rebuild" in results.degraded["dense"]
    assert len(results) == 1
