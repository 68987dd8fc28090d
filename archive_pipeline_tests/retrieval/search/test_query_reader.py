"""Queries whose model is another one now, behind the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.errors import EmbeddingError
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.retrieval.embedders.endpoint_stub import serve
from archive_pipeline_tests.retrieval.search.archive import import_all, key

pytest.importorskip("httpx")
pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("no_authorities")]


def test_vectors_of_another_size_than_the_indexs_leave_words(database: Database, settings: Settings, tmp_path: Path):
    import_all(database, settings, tmp_path / "exports")
    with serve() as stub:
        home = settings.with_values(home=tmp_path, embedding_model=f"{stub.url}#small")
        index_archive(database, home)
        engine = SearchEngine(database, home)
        of_two = (200, {}, {"data": [{"index": 0, "embedding": [1, 2]}]})
        reason = "gives vectors of 2 dimensions, the stored ones have 3: it is another model now"

        stub.answers.append(of_two)
        found = engine.search_now("sourdough bread", 5)
        assert found[0]["doc_id"] == key("bread")
        assert reason in found.degraded["dense"]
        stub.answers.append(of_two)
        with pytest.raises(EmbeddingError, match=reason):
            engine.search_now("sourdough bread", 5, "text")

        found = engine.search_now("sourdough bread", 5)
        assert found.degraded == {}, "the former model is back"

        with database.session() as connection:
            connection.execute("UPDATE derived.embedding_generations SET chance_vector_count = 1")
        stub.answers.append((200, {}, {"data": [{"index": at, "embedding": [1, 2]} for at in range(96)]}))
        with pytest.raises(EmbeddingError, match=reason):
            index_archive(database, home)
