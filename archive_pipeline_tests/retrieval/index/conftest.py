"""An archive with chunks, and a vector store of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.derive.batches import Medium, Row, Talk, batch_of, linear, store
from archive_pipeline_tests.retrieval.index.letters import Letters
from archive_pipeline_tests.variants import some_of

BREAD = linear(
    "bread",
    ("user", "How do I bake bread in a cold kitchen?"),
    (
        "assistant",
        "Use warmer water and give the dough more time.\n\n# Times\n\n| °C | hours |\n|---|---|\n| 18 | 12 |",
    ),
    ("user", "And the oven?"),
    ("assistant", "Heat it to 240 °C, with a stone in it."),
)
PLANETS = Talk(
    "planets",
    (
        Row("q", None, "user", "Which planet is the largest one of all?", 0),
        Row("a", "q", "assistant", "Jupiter is, by far, the largest planet of the solar system!", 1),
        Row("b", "q", "assistant", "Jupiter is by far the largest planet of the solar system.", 2),
        Row("q2", "b", "user", "Thanks, and what is the smallest?", 3),
        Row("c", "q2", "assistant", "Mercury, if Pluto is not counted.", 4),
    ),
)
# A picture alone: nothing of it is searched by words.
WORDLESS = Talk("wordless", (Row("p", None, "user", None, 0, media=(Medium(uri="https://example.org/sea.png"),)),))


IN_CHROMA = pytest.mark.parametrize("home", [VectorStore.CHROMA], indirect=True)
IN_POSTGRES = pytest.mark.parametrize("home", [VectorStore.POSTGRES], indirect=True)
# Of what no store has a part in.
FIRST_IN_POSTGRES = pytest.mark.parametrize("home", some_of([VectorStore.POSTGRES, VectorStore.CHROMA]), indirect=True)


@pytest.fixture(params=list(VectorStore))
def home(request: pytest.FixtureRequest, settings: Settings, tmp_path: Path) -> Settings:
    """The session's archive with a vector index of its own, in each store; in Chroma, below the test's folder.

    A test of one of them is marked ``IN_CHROMA`` or ``IN_POSTGRES``; ``FIRST_IN_POSTGRES`` where one says it of both.
    """
    if request.param is VectorStore.CHROMA:
        pytest.importorskip("chromadb")
    return settings.with_values(home=tmp_path, vector_index=request.param)


@pytest.fixture
def built(database: Database, home: Settings) -> Database:
    """The archive with three dialogues and without vectors."""
    with database.session() as connection:
        connection.execute("DELETE FROM derived.embedding_generations")
    add(database, home, batch_of(BREAD, PLANETS, WORDLESS))
    return database


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Letters:
    """The model that commands open."""
    letters = Letters()
    monkeypatch.setattr("archive_pipeline.retrieval.index.run.open_embedder", lambda _settings: letters)
    return letters


def add(database: Database, home: Settings, batch: DialogueBatch) -> None:
    """Import and build dialogues."""
    store(database, batch)
    build_stale(database, home)
