"""What a search knows of an archive's words before it is asked, and does not ask for again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.retrieval.search import engine
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.query import parse_query
from archive_pipeline.retrieval.search.retrievers import lexical
from archive_pipeline.retrieval.search.retrievers.lexical import find_lexically, read_vocabulary
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.derive.batches import batch_of, linear, store

pytestmark = pytest.mark.postgres


def test_the_vocabulary_is_read_anew_after_a_time(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    searches = SearchEngine(database, settings)
    with database.session() as connection:
        first = searches.vocabulary(connection)
        assert searches.vocabulary(connection) is first
        monkeypatch.setattr(engine, "VOCABULARY_SECONDS", -1)
        assert searches.vocabulary(connection) is not first


def test_chunks_that_are_gone_from_the_best_leave_their_places_to_the_next(database: Database, settings: Settings):
    asked = {"a": "Larch larch?", "b": "Is it a larch?"}
    store(database, batch_of(*(linear(name, ("user", text), ("assistant", "Yes.")) for name, text in asked.items())))
    build_stale(database, settings)
    with database.session() as connection:
        query, vocabulary = parse_query("larch"), read_vocabulary(connection)

        def found() -> list[str]:
            return list(find_lexically(connection, query, vocabulary=vocabulary, allowed=None, most=1).ids)

        [best] = found()
        connection.execute("DELETE FROM derived.qa_chunks WHERE chunk_id = %s", [best])  # the index still knows it
        [other] = found()
    assert other != best


def test_each_word_is_looked_up_in_the_stop_words_once(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    answer = "The larch and the birch are the trees that you would see there, and they are what this is about."
    store(database, batch_of(linear("d", ("user", "Which trees?"), ("assistant", answer))))
    build_stale(database, settings)
    fetch_column, asked = lexical.fetch_column, []

    def fetch(connection: Any, query: str, value: Any, parameters: Mapping[str, Any]) -> Any:
        asked.append(sorted(parameters["words"]))
        return fetch_column(connection, query, value, parameters)

    with database.session() as connection:
        vocabulary = read_vocabulary(connection)
        monkeypatch.setattr(lexical, "fetch_column", fetch)
        found = [
            find_lexically(connection, parse_query(text), vocabulary=vocabulary, allowed=None, most=9).ids
            for text in ("the larch", "the birch", "the larch", "the")
        ]
    assert asked == [["larch", "the"], ["birch"]]
    assert found[0] == found[1] == found[2] == found[3]
    assert len(found[0]) == 1
    assert vocabulary.stop_words == {"the": True, "larch": False, "birch": False}
