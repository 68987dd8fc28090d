"""What questions of made-up words are near to is measured with the index, and again when much has changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from archive_pipeline.retrieval.embedders.interface import Vectors
from archive_pipeline.retrieval.index.chance import QUESTIONS, made_up_questions
from archive_pipeline.retrieval.index.embed import BATCH_TEXTS
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Chance, find_chance, find_generation
from archive_pipeline_tests.derive.batches import batch_of, linear
from archive_pipeline_tests.retrieval.index.conftest import add
from archive_pipeline_tests.retrieval.index.letters import Letters

pytestmark = pytest.mark.postgres


class CountedQueries(Letters):
    """Says how many queries were embedded at once."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        return super().embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(len(texts))
        return super().embed_queries(texts)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> CountedQueries:
    model = CountedQueries()
    monkeypatch.setattr("archive_pipeline.retrieval.index.run.open_embedder", lambda _settings: model)
    return model


def stored(database: Database) -> Chance | None:
    with database.session() as connection:
        generation = find_generation(connection, "letters")
        assert generation is not None
        return find_chance(connection, generation)


def test_made_up_questions_are_the_same_every_time_and_of_every_length():
    questions = made_up_questions()
    assert questions == made_up_questions()
    assert len(set(questions)) == QUESTIONS
    assert {len(question.split()) for question in questions} == set(range(1, 9))


def test_it_is_what_the_nearest_texts_are(built: Database, home: Settings, counted: CountedQueries):
    index_archive(built, home)
    questions = made_up_questions()
    texts = Letters().embed_queries(counted.embedded)
    best = [max(float(text @ question) for text in texts) for question in Letters().embed_queries(questions)]
    few = [cosine for question, cosine in zip(questions, best, strict=True) if len(question.split()) < 3]
    chance = stored(built)
    assert chance is not None
    assert chance.vector_count == len(counted.embedded) < BATCH_TEXTS
    # Halves have three significant digits.
    assert chance.usual == pytest.approx(np.median(best), abs=2e-3)
    assert chance.high == pytest.approx(np.quantile(best, 0.95), abs=2e-3)
    assert chance.highest_of_few == pytest.approx(max(few), abs=2e-3)


def test_it_is_measured_anew_when_a_tenth_of_the_vectors_is_new(
    built: Database, home: Settings, counted: CountedQueries
):
    index_archive(built, home)
    index_archive(built, home)
    assert counted.asked == [QUESTIONS]
    before = stored(built)
    add(built, home, batch_of(linear("new", ("user", "Where are the eels?"), ("assistant", "Below the old bridge."))))
    index_archive(built, home)
    assert counted.asked == [QUESTIONS] * 2
    after = stored(built)
    assert before is not None
    assert after is not None
    assert after.vector_count == before.vector_count + 2
