"""How near to something questions of made-up words come: below that, nearness says nothing.

It depends on the model and on how many texts there are, so it is measured on the vectors themselves whenever a tenth of
them is new, and stored with them.
"""

from __future__ import annotations

import random
from typing import Final

import numpy as np

from archive_pipeline.retrieval.embedders.interface import Embedder, Vectors, check_dimensions
from archive_pipeline.store import embeddings
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Chance, Generation, VectorForm

QUESTIONS: Final = 96
_MOST_WORDS: Final = 8
_FEW_WORDS: Final = 2
_SEED: Final = 1
# The share of the questions that the higher level is above.
_HIGH: Final = 0.95
# When this share of the vectors is new or gone, it is measured anew.
_CHANGED_SHARE: Final = 0.1
_VECTORS_AT_ONCE: Final = 8_192

_ONSETS: Final = (
    "b",
    "d",
    "dr",
    "f",
    "fl",
    "g",
    "gr",
    "h",
    "j",
    "kl",
    "l",
    "m",
    "n",
    "pl",
    "qu",
    "r",
    "st",
    "tr",
    "v",
    "w",
    "z",
)
_VOWELS: Final = ("a", "e", "i", "o", "u", "ai", "ou", "y")
_CODAS: Final = ("b", "ck", "d", "g", "l", "m", "n", "mp", "nt", "p", "r", "rk", "s", "sh", "t", "x", "z")


def made_up_questions() -> list[str]:
    """Return questions of one to eight words that can be spoken and mean nothing; the same ones every time."""
    chance = random.Random(_SEED)  # noqa: S311 - not for secrets
    return [" ".join(_word(chance) for _ in range(1 + number % _MOST_WORDS)) for number in range(QUESTIONS)]


def _word(chance: random.Random) -> str:
    syllables = chance.choice((2, 2, 3))
    return "".join(
        chance.choice(_ONSETS) + chance.choice(_VOWELS) + (chance.choice(_CODAS) if chance.random() < 0.6 else "")
        for _ in range(syllables)
    )


def measure_chance(database: Database, embedder: Embedder, generation: Generation, form: VectorForm) -> Chance | None:
    """Measure and store what the vectors of a generation are near to by chance, if many of them changed.

    The caller holds ``embed.only_indexer``.

    Args:
        database: the archive.
        embedder: the generation's model.
        generation: whose vectors.
        form: in which the vectors are stored.

    Returns:
        What is stored now; None if there are no vectors.

    Raises:
        EmbeddingError: the model does not answer, or its vectors have another size than the stored ones.
    """
    with database.session() as connection:
        count = embeddings.count_vectors(connection, generation)
        known = embeddings.find_chance(connection, generation)
    if not count or (known is not None and abs(count - known.vector_count) <= _CHANGED_SHARE * known.vector_count):
        return known
    questions = made_up_questions()
    asked = embedder.embed_queries(questions)
    check_dimensions(embedder.name, asked, generation.dimensions)
    best = _best_cosines(database, asked, generation, form)
    of_few = [len(question.split()) <= _FEW_WORDS for question in questions]
    chance = Chance(
        vector_count=count,
        usual=float(np.median(best)),
        high=float(np.quantile(best, _HIGH)),
        highest_of_few=float(best[of_few].max()),
    )
    with database.session() as connection:
        embeddings.set_chance(connection, generation, chance)
    return chance


def _best_cosines(database: Database, questions: Vectors, generation: Generation, form: VectorForm) -> Vectors:
    """Return for each question the cosine of the vector that is nearest; all are looked at, some at a time."""
    best = np.full(len(questions), -1.0, dtype=np.float32)
    after = ""
    while True:
        with database.session() as connection:
            stored = embeddings.stored_vectors(connection, generation, form, after=after, number=_VECTORS_AT_ONCE)
        if not stored.content_hashes:
            return best
        best = np.maximum(best, (stored.vectors @ questions.T).max(axis=0))
        after = stored.content_hashes[-1]
