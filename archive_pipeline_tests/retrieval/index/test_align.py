"""Queries that another model reads: the map is fitted with the index, and searches go by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.errors import MissingExtraError
from archive_pipeline.retrieval.index import align
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.query_reader import READ_BY_TEXTS_MODEL
from archive_pipeline.settings import Settings
from archive_pipeline.store.alignments import StoredAlignment, find_alignment
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Chance, find_chance, find_generation
from archive_pipeline_tests.derive.batches import batch_of, linear
from archive_pipeline_tests.retrieval.index.conftest import FIRST_IN_POSTGRES, IN_POSTGRES, add
from archive_pipeline_tests.retrieval.onnx.tiny_model import save_embedder

pytestmark = pytest.mark.postgres

# To the model that reads queries, a loaf is bread, and a world a planet.
VECTORS = {"bread": [1.0, 0.0], "loaf": [1.0, 0.0], "planet": [0.0, 1.0], "world": [0.0, 1.0]}

ABOUT = {"bread": "bread", "planets": "planet", "neither": ""}


@pytest.fixture
def reading(home: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The archive's settings with a model of four words for queries; its few texts are enough."""
    for package in ("wordllama", "tokenizers", "safetensors", "onnxruntime"):
        pytest.importorskip(package)
    monkeypatch.setattr(align, "FEWEST_TEXTS", 2)
    monkeypatch.setattr(align, "FEWEST_PAIRS", 2)
    return home.with_values(query_model=f"onnx:{save_embedder(tmp_path / 'reader', VECTORS)}")


def stored(database: Database) -> tuple[StoredAlignment | None, Chance | None]:
    with database.session() as connection:
        generation = find_generation(connection, "static")
        assert generation is not None
        return find_alignment(connection, generation), find_chance(connection, generation)


def found(engine: SearchEngine, query: str) -> tuple[str, list[str]]:
    """The dialogue that comes first, and the notes."""
    results = engine.search_now(query, 5, "text")
    snippet = results[0]["snippet"]
    return next(name for name, word in ABOUT.items() if word in snippet), list(results.notes)


def test_a_query_finds_what_only_the_other_model_knows(built: Database, reading: Settings):
    index_archive(built, reading)
    alignment, chance = stored(built)
    assert alignment is not None
    assert alignment.query_model == reading.query_model
    assert alignment.matrix.shape == (3, 256)
    assert chance is not None
    assert chance.vector_count == alignment.vector_count
    engine = SearchEngine(built, reading)
    assert found(engine, "loaf") == ("bread", [])
    assert found(engine, "world") == ("planets", [])


@FIRST_IN_POSTGRES
def test_the_map_is_fitted_once_and_anew_when_the_archive_has_doubled(built: Database, reading: Settings):
    index_archive(built, reading)
    before, _ = stored(built)
    index_archive(built, reading)
    assert stored(built)[0] is not None
    assert before is not None
    assert stored(built)[0].id == before.id  # type: ignore[union-attr]
    talks = [linear(f"new {n}", ("user", f"Question {n}?"), ("assistant", f"Answer {n}.")) for n in range(6)]
    add(built, reading, batch_of(*talks))
    index_archive(built, reading)
    after, chance = stored(built)
    assert after is not None
    assert after.id > before.id
    assert chance is not None
    assert after.vector_count == chance.vector_count >= 2 * before.vector_count


@FIRST_IN_POSTGRES
def test_an_open_engine_goes_by_the_new_map(built: Database, reading: Settings):
    index_archive(built, reading)
    engine = SearchEngine(built, reading)
    assert found(engine, "loaf") == ("bread", [])
    other = reading.with_values(query_model="static")
    index_archive(built, other)
    assert stored(built)[0] is None
    assert stored(built)[1] is not None  # measured anew, for queries as they are read now
    assert found(engine, "bake bread") == ("bread", [])
    index_archive(built, reading)
    assert found(engine, "loaf") == ("bread", [])


@FIRST_IN_POSTGRES
def test_few_texts_have_no_map(built: Database, reading: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(align, "FEWEST_TEXTS", 50)
    index_archive(built, reading)
    assert stored(built)[0] is None


@IN_POSTGRES
def test_without_the_model_queries_are_read_by_that_of_the_texts(
    built: Database, reading: Settings, monkeypatch: pytest.MonkeyPatch
):
    index_archive(built, reading)
    gone = Path(reading.query_model.removeprefix("onnx:"))
    gone.rename(gone.with_name("elsewhere"))
    title, [note] = found(SearchEngine(built, reading), "How do I bake bread?")
    assert title == "bread"
    assert note.startswith(READ_BY_TEXTS_MODEL.format(reason=f"{gone} has no ONNX file"))

    index_archive(built, reading)  # the model is not there any more
    assert stored(built)[0] is None
    gone.with_name("elsewhere").rename(gone)
    index_archive(built, reading)
    assert stored(built)[0] is not None

    def missing(_settings: Settings, name: str) -> None:
        raise MissingExtraError(f"the model '{name}' needs a package")

    monkeypatch.setattr(align, "open_embedder", missing)
    index_archive(built, reading)
    assert stored(built)[0] is None
    assert found(SearchEngine(built, reading), "How do I bake bread?") == ("bread", [])


@IN_POSTGRES
def test_a_model_of_another_size_is_not_taken_for_the_one_of_the_map(built: Database, reading: Settings):
    index_archive(built, reading)
    folder = Path(reading.query_model.removeprefix("onnx:"))
    save_embedder(folder, {word: [*vector, 0.5] for word, vector in VECTORS.items()})
    title, [note] = found(SearchEngine(built, reading), "How do I bake bread?")
    assert title == "bread"
    assert "is another model now" in note
    index_archive(built, reading)
    assert found(SearchEngine(built, reading), "How do I bake bread?") == ("bread", [])
    alignment, _ = stored(built)
    assert alignment is not None
    assert alignment.matrix.shape == (4, 256)
