"""The second stage of a search: which pages it reads, how it orders them, and what happens without it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from archive_pipeline.errors import RerankerError
from archive_pipeline.retrieval.context.builder import ContextBuilder
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.rerank.interface import Scores
from archive_pipeline.retrieval.rerank.scoring import TimedReranker
from archive_pipeline.retrieval.search import engine as search_engine
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.relevance import NOTHING_RELEVANT
from archive_pipeline.retrieval.search.results import FoundPage
from archive_pipeline.retrieval.search.second_stage import MORE_RERANKED, MOST_RERANKED, reranked
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.retrieval.onnx.tiny_model import save_embedder
from archive_pipeline_tests.retrieval.search.archive import import_all, places
from archive_pipeline_tests.retrieval.search.found_pages import page

QUESTION = "planet with the strongest gravity at its surface, or the weakest"


class ByText:
    """Scores texts by a rule."""

    name = "by text"

    def __init__(self, rule: Callable[[str], float], *, is_of_meaning: bool = False) -> None:
        self.rule = rule
        self.is_of_meaning = is_of_meaning
        self.read: list[str] = []

    def scores(self, _question: str, texts: Sequence[str]) -> Scores:
        self.read += texts
        return np.array([self.rule(text) for text in texts], dtype=np.float32)


def ordered(pages: Sequence[FoundPage], model: ByText) -> list[FoundPage]:
    found = reranked(pages, pages, "q", TimedReranker(model, seconds=600))
    assert found is not None
    return found


def test_pages_are_ordered_by_the_model_and_scores_stay_at_their_places():
    found = ordered([page(1, "ccc"), page(2, "a"), page(3, "bb")], ByText(lambda text: -len(text)))
    assert [each.page[1] for each in found] == [2, 3, 1]
    assert [each.score for each in found] == [1, 1 / 2, 1 / 3]
    assert [each.rerank_score for each in found] == [-1, -2, -3]


def test_equal_pages_keep_the_order_of_the_first_stage():
    found = ordered([page(number, "odd" * (number % 2)) for number in range(1, 8)], ByText(len))
    assert [each.page[1] for each in found] == [1, 3, 5, 7, 2, 4, 6]


def test_only_the_best_pages_are_read_and_the_others_stay_below_them():
    pages = [page(number, f"{number}") for number in range(1, MOST_RERANKED + 4)]
    model = ByText(float)
    found = ordered(pages, model)
    assert len(model.read) == MOST_RERANKED == 50
    assert [each.page[1] for each in found] == [*range(50, 0, -1), 51, 52, 53]
    assert [each.score for each in found] == [each.score for each in pages]
    assert [each.rerank_score for each in found[50:]] == [None] * 3


def test_a_question_is_read_with_its_answer():
    model = ByText(len)
    ordered([page(1, "Why?", side="question", answer="Because."), page(2, "Therefore.", answer="Therefore.")], model)
    assert sorted(model.read) == ["Therefore.", "Why?\n\nBecause."]


def of_meaning(rule: Callable[[str], float]) -> ByText:
    """An embedding model that gives texts cosines by a rule."""
    return ByText(rule, is_of_meaning=True)


def test_words_and_meaning_of_the_first_stage_count_beside_the_cosines_of_an_embedding_model():
    # Places of the cosines: 0, 1/2 and 1. With 0.35 for these and 0.5 for words: 0.25, 0.375 and 0.35.
    pages = [page(1, "a", words=0.5), page(2, "aa", words=0.4), page(3, "aaa")]
    found = ordered(pages, of_meaning(lambda text: 0.1 * len(text)))
    assert [each.page[1] for each in found] == [2, 3, 1]
    assert [each.rerank_score for each in found] == pytest.approx([0.2, 0.3, 0.1])
    # With 0.15 for the meaning of the first stage: 0.4, 0.375 and 0.35.
    pages[0] = replace(pages[0], shares={"lexical": 0.5, "dense": 1.0})
    found = ordered(pages, of_meaning(lambda text: 0.1 * len(text)))
    assert [each.page[1] for each in found] == [1, 2, 3]


def test_what_is_not_relevant_stays_if_the_embedding_model_finds_it_nearly_as_good_as_the_best():
    # Places: 1, 0.5, 0.49 and 0, of which 0.35: half of the best is 0.175.
    pages = [page(number, "a" * length) for number, length in enumerate((100, 50, 49, 0), 1)]
    found = reranked(pages, pages[3:], "q", TimedReranker(of_meaning(lambda text: len(text) / 100), seconds=600))
    assert found is not None
    assert [each.page[1] for each in found] == [1, 2, 4]


def test_an_embedding_model_reads_more_pages_if_there_is_time():
    pages = [page(number, f"{number}") for number in range(1, 120)]
    model = of_meaning(float)
    found = ordered(pages, model)
    assert len(model.read) == MOST_RERANKED + MORE_RERANKED == 100
    assert [each.page[1] for each in found] == [*range(100, 0, -1), *range(101, 120)]
    seconds = iter([0.0] * 8)  # the end, and a look at the clock before each of the seven batches of 50 pages
    model = of_meaning(float)
    found = reranked(pages, pages, "q", TimedReranker(model, seconds=1, clock=lambda: next(seconds, 2.0)))
    assert found is not None
    assert len(model.read) == 50
    assert [each.page[1] for each in found] == [*range(50, 0, -1), *range(51, 120)]


def test_where_all_cosines_are_equal_words_alone_count():
    found = ordered([page(1, "a"), page(2, "b", words=0.1)], of_meaning(lambda _text: 0.4))
    assert [each.page[1] for each in found] == [2, 1]


def test_without_time_there_is_no_order():
    pages = [page(1, "a"), page(2, "b")]
    assert reranked(pages, pages, "q", TimedReranker(ByText(len), seconds=0)) is None


@pytest.fixture(scope="module")
def engine(archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchEngine]:
    """The small archive, indexed, without a second stage; tests only read it."""
    pytest.importorskip("wordllama")
    home = settings.with_values(home=tmp_path_factory.mktemp("search"))
    empty(archive)
    with archive.session() as connection:
        connection.execute("DELETE FROM derived.embedding_generations")
    import_all(archive, home, home.home / "exports")
    index_archive(archive, home)
    yield SearchEngine(archive, home)
    empty(archive)


def with_model(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch, model: object) -> SearchEngine:
    """The archive with a second stage."""
    monkeypatch.setattr(search_engine, "open_reranker", lambda _settings, _name: model)
    return SearchEngine(engine.database, engine.settings.with_values(reranker="a model"))


@pytest.mark.postgres
def test_nothing_is_read_to_say_what_filters_took_away(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    model = ByText(len)
    second = with_model(engine, monkeypatch, model)
    results = second.search_now(QUESTION, 10, "hybrid", filters=search_engine.SearchFilters(title="no such title"))
    assert search_engine.FOUND_WITHOUT_FILTERS in results.notes
    assert model.read == []


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["hybrid", "text", "lexical"])
def test_a_search_has_the_order_of_the_model(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch, mode: str):
    first = engine.search_now(QUESTION, 10, mode)
    assert len(first) >= 2
    assert first.reranked is None
    model = ByText(lambda text: 1.0 if "weakest" in text else 0.0)
    second = with_model(engine, monkeypatch, model).search_now(QUESTION, 10, mode)
    assert second.reranked is True
    assert second.degraded == {}
    assert second.notes == first.notes
    assert "weakest" in second[0]["snippet"]
    assert "weakest" not in first[0]["snippet"]
    assert sorted(places(second)) == sorted(places(first))
    assert [result["reranked"] for result in second] == [True] * len(second)
    assert [result["rerank_score"] for result in second] == [1.0] + [0.0] * (len(second) - 1)
    scores = [result["score"] for result in second]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.postgres
def test_a_model_that_finds_all_equal_changes_nothing_but_says_that_it_read(
    engine: SearchEngine, monkeypatch: pytest.MonkeyPatch
):
    first = engine.search_now(QUESTION)
    second = with_model(engine, monkeypatch, ByText(lambda _text: 0.5)).search_now(QUESTION)
    added = {"reranked": True, "rerank_score": 0.5}
    assert list(second) == [{**result, **added} for result in first]


@pytest.mark.postgres
def test_the_same_search_asks_the_model_once(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    model = ByText(len)
    own = with_model(engine, monkeypatch, model)
    first = own.search_now(QUESTION)
    read = len(model.read)
    assert read >= 2
    assert own.search_now(QUESTION) == first
    assert len(model.read) == read


@pytest.mark.postgres
def test_when_the_time_ends_the_order_of_the_first_stage_stays_whole(
    engine: SearchEngine, monkeypatch: pytest.MonkeyPatch
):
    own = with_model(engine, monkeypatch, ByText(len))
    own.reranker("a model").seconds = 0
    first, second = engine.search_now(QUESTION), own.search_now(QUESTION)
    assert list(second) == [{**result, "reranked": False, "rerank_score": None} for result in first]
    assert second.reranked is False
    assert second.notes == ("the order is that of the first stage: the reranker needs more than 0 s for this search",)


@pytest.mark.postgres
def test_a_model_that_fails_leaves_the_first_stage(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    def fail(_text: str) -> float:
        raise RerankerError("the reranker 'a model' failed: no memory")

    second = with_model(engine, monkeypatch, ByText(fail)).search_now(QUESTION)
    assert places(second) == places(engine.search_now(QUESTION))
    assert second.reranked is False
    assert second.notes == ("the order is that of the first stage: the reranker 'a model' failed: no memory",)


@pytest.mark.postgres
def test_without_the_extra_the_first_stage_answers_and_a_note_says_what_to_install(
    engine: SearchEngine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    own = SearchEngine(engine.database, engine.settings.with_values(reranker="a model"))
    results = own.search_now(QUESTION)
    assert places(results) == places(engine.search_now(QUESTION))
    [note] = results.notes
    assert "pip install 'llm-archive-pipeline[search-transformers]'" in note
    assert "\n" not in note


@pytest.mark.postgres
def test_nothing_relevant_is_not_read(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    model = ByText(len)
    results = with_model(engine, monkeypatch, model).search_now("xqzvw kjhgf", 10, "hybrid")
    assert list(results) == []
    assert NOTHING_RELEVANT in results.notes
    assert results.reranked is None
    assert model.read == []


@pytest.mark.postgres
def test_the_visual_mode_has_no_second_stage(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    model = ByText(len)
    results = with_model(engine, monkeypatch, model).search_now(QUESTION, 10, "visual")
    assert list(results) == list(engine.search_now(QUESTION, 10, "visual"))
    assert model.read == []


@pytest.mark.postgres
def test_contexts_have_the_order_of_the_second_stage(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    own = with_model(engine, monkeypatch, ByText(lambda text: 1.0 if "weakest" in text else 0.0))
    context = asyncio.run(ContextBuilder(own, own.pages).build_context(QUESTION))
    assert [(source.doc_id, source.page) for source in context.sources] == places(own.search_now(QUESTION))
    plain = asyncio.run(ContextBuilder(engine, engine.pages).build_context(QUESTION))
    assert context.sources[0].page != plain.sources[0].page


@pytest.mark.postgres
def test_results_are_json(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    results = with_model(engine, monkeypatch, ByText(len)).search_now(QUESTION)
    assert json.loads(json.dumps(list(results))) == list(results)


@pytest.mark.postgres
def test_a_model_is_loaded_once(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    loaded: list[str] = []

    def load(_settings: Settings, name: str) -> ByText:
        loaded.append(name)
        return ByText(len)

    monkeypatch.setattr(search_engine, "open_reranker", load)
    own = SearchEngine(engine.database, engine.settings.with_values(reranker=str(tmp_path)))
    own.search_now(QUESTION)
    own.search_now("sourdough")
    assert loaded == [str(tmp_path)]


@pytest.mark.postgres
def test_a_model_that_cannot_be_loaded_is_asked_for_once(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def load(_settings: Settings, name: str) -> ByText:
        asked.append(name)
        raise RerankerError("no such model")

    monkeypatch.setattr(search_engine, "open_reranker", load)
    own = SearchEngine(engine.database, engine.settings.with_values(reranker="a model"))
    for _ in range(2):
        assert own.search_now(QUESTION).notes == ("the order is that of the first stage: no such model",)
    assert asked == ["a model"]


@pytest.mark.postgres
def test_an_embedding_model_in_onnx_orders_a_search(engine: SearchEngine, tmp_path: Path):
    pytest.importorskip("onnxruntime")
    folder = save_embedder(tmp_path / "model", {"weakest": [1.0, 0.0], "[UNK]": [0.0, 1.0]})
    own = SearchEngine(engine.database, engine.settings.with_values(reranker=f"onnx:{folder}"))
    results = own.search_now("which one is the weakest planet", 10, "text")
    assert results.reranked is True
    assert results.degraded == {}
    assert "weakest" in results[0]["snippet"]
    # One word of six in the question: cosine 1/sqrt(26) to a text without it, and more to one with it.
    assert results[0]["rerank_score"] > results[-1]["rerank_score"] == pytest.approx(5 / 26**0.5, abs=0.01)
