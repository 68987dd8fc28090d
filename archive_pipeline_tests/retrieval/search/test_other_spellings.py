"""The same word in another spelling: camel case or parts in a row, letters with marks or without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.retrievers import marks
from archive_pipeline.retrieval.search.retrievers.marks import MarkedTerms
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import chain, chatgpt, load

DIALOGUES = {
    "camel": ("When does fetchWithRetry end?", "With a MaxRetryError that the PoolManager raises."),
    "snake": ("What is in http_client.py?", "What opens a connection."),
    "apart": ("Which client for http?", "An error, then one retry more, to the max."),
    "script": ("How do I learn JavaScript?", "Write some."),
    "city": ("Wo liegt Zürich?", "Nicht in Österreich. Dort isst man œufs."),
    "cv": ("Is a resume long?", "One page."),
    "accents": ("Is a résumé long?", "A résumé: a résumé, and a résumé."),
}


@pytest.fixture(scope="module")
def engine(archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchEngine]:
    home = settings.with_values(home=tmp_path_factory.mktemp("spellings"))
    empty(archive)
    told = [chatgpt(name, chain(*said, start=1_704_067_200.0)) for name, said in DIALOGUES.items()]
    load(archive, home.home / "chatgpt.json", *told)
    build_stale(archive, home)
    yield SearchEngine(archive, home)
    empty(archive)


def found(engine: SearchEngine, query: str) -> list[str]:
    names = {dialogue_id("chatgpt", name): name for name in DIALOGUES}
    results = engine.search_now(query, 10, "lexical")
    assert results.respelt == {}
    return [names[result["doc_id"]] for result in results]


@pytest.mark.parametrize(
    ("query", "dialogues"),
    [
        ("fetch_with_retry", ["camel"]),
        ('"fetch with retry"', ["camel"]),
        ("max_retry_error", ["camel"]),
        ('"max retry error"', ["camel"]),
        ("pool_manager", ["camel"]),
        ("PoolManager", ["camel"]),
        ("HttpClient", ["snake"]),
        ("httpClient", ["snake"]),
        ('"HttpClient py"', ["snake"]),
        ('"learn java"', []),
        ('"learn java script"', ["script"]),
        ("learn -java_script", []),
        ("zurich", ["city"]),
        ("ZUERICH", ["city"]),
        ("osterreich", ["city"]),
        ("oesterreich", ["city"]),
        ("oeufs", ["city"]),
        ('"wo liegt zurich"', ["city"]),
        ("zur*", ["city"]),
        ("liegt -zurich", []),
    ],
)
def test_a_word_is_found_in_its_other_spellings(engine: SearchEngine, query: str, dialogues: list[str]):
    assert found(engine, query) == dialogues


def test_the_word_as_it_is_written_comes_first(engine: SearchEngine):
    assert found(engine, "resume") == ["cv", "accents"]
    assert found(engine, "résumé") == ["accents"]


def test_terms_of_a_letter_are_read_once_and_forgotten_when_they_are_too_many(
    engine: SearchEngine, monkeypatch: pytest.MonkeyPatch
):
    read: list[set[str]] = []
    fetch_column = marks.fetch_column

    def fetch(connection: Any, query: str, value: Any, parameters: Mapping[str, Any]) -> Any:
        read.append({letter for letter in parameters["letters"] if letter.isascii()})
        return fetch_column(connection, query, value, parameters)

    monkeypatch.setattr(marks, "fetch_column", fetch)
    held = MarkedTerms()
    with engine.database.session() as connection:
        assert held.of_words(connection, {"zurich", "été", "7"}) == {"zurich": ["zürich"]}
        assert held.of_words(connection, {"zuerich", "oesterreich"})["oesterreich"] == ["österreich"]
        assert read == [{"z"}, {"o"}]
        monkeypatch.setattr(marks, "MOST_HELD", 1)
        assert held.beginning_with(connection, "resu") == {"résumé", "résum"}  # and its stem
        held.of_words(connection, {"zurich"})
    assert read == [{"z"}, {"o"}, {"r"}, {"z"}]
