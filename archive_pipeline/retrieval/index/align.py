"""The map by which another model reads the queries of static vectors: fitted when texts were embedded.

It is fitted on the beginnings of some texts, and anew when the archive has twice or half as many. No vector of a text
depends on it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import numpy as np
from more_itertools import chunked

from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.errors import EmbeddingError, MissingExtraError
from archive_pipeline.retrieval.embedders.alignment import AlignedEmbedder, Alignment, Pairs, fit_alignment
from archive_pipeline.retrieval.embedders.interface import STATIC, Embedder, Vectors
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.embedders.static import StaticEmbedder
from archive_pipeline.settings import Settings
from archive_pipeline.store import embeddings
from archive_pipeline.store.alignments import StoredAlignment, delete_alignment, find_alignment, set_alignment
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Generation

# So many take some eight seconds; longer beginnings of texts find nothing more.
TEXTS: Final = 2_500
CHARACTERS: Final = 120
# Words stand for the texts that are missing to so many.
FEWEST_PAIRS: Final = 1_000
# Between two reports of progress.
READ_AT_ONCE: Final = 250
# Of fewer texts a list of results shows a good part anyway.
FEWEST_TEXTS: Final = 50
# The map is fitted anew when there are so many times the texts, or that part of them.
GROWTH: Final = 2

_log = logging.getLogger(__name__)


def embedder_of_queries(
    database: Database,
    settings: Settings,
    own: Embedder,
    generation: Generation,
    *,
    progress: Progress = no_progress,
) -> Embedder:
    """Return what reads the queries of a generation, which is the model of its texts where no other one can.

    The caller holds ``embed.only_indexer``.

    Args:
        database: the archive.
        settings: which model reads queries.
        own: the generation's model.
        generation: whose vectors, which are there.
        progress: told of the texts that the other model reads for the map as ``queries``.

    Raises:
        EmbeddingError: a model fails.
    """
    with database.session() as connection:
        known = find_alignment(connection, generation)
        count = embeddings.count_vectors(connection, generation)
    if isinstance(own, StaticEmbedder) and count >= FEWEST_TEXTS and (reader := _reader(settings)) is not None:
        if known is not None and _fits(known, reader, count):
            return AlignedEmbedder(own, reader, Alignment(known.matrix))
        alignment = _fitted(database, own, reader, progress)
        with database.session() as connection:
            set_alignment(connection, generation, reader.name, count, alignment.matrix)
        return AlignedEmbedder(own, reader, alignment)
    if known is not None:
        with database.session() as connection:
            delete_alignment(connection, generation)
    return own


def _reader(settings: Settings) -> Embedder | None:
    """Return the model of the settings; None if that is the one of the texts, or cannot be loaded."""
    if settings.query_model == STATIC:
        return None
    try:
        return open_embedder(settings, settings.query_model)
    except (MissingExtraError, EmbeddingError) as error:
        _log.warning("queries are read by the static vectors alone: %s", error)
        return None


def _fits(known: StoredAlignment, reader: Embedder, count: int) -> bool:
    is_same = known.query_model == reader.name and len(known.matrix) == reader.dimensions + 1
    return is_same and count < GROWTH * known.vector_count and known.vector_count < GROWTH * count


def _fitted(database: Database, own: StaticEmbedder, reader: Embedder, progress: Progress) -> Alignment:
    with database.session() as connection:
        texts = embeddings.first_texts(connection, number=TEXTS, characters=CHARACTERS)
    words = own.frequent_words(max(FEWEST_PAIRS - len(texts), 0))
    read = _read(reader, [*texts, *words], progress)
    count = len(texts)
    return fit_alignment(Pairs(own.embed(texts), read[:count]), Pairs(own.embed(words), read[count:]))


def _read(reader: Embedder, texts: Sequence[str], progress: Progress) -> Vectors:
    """Return the vectors of texts by the model that reads queries."""
    progress("queries", 0, len(texts))
    found: list[Vectors] = []
    for some in chunked(texts, READ_AT_ONCE):
        found.append(reader.embed(some))
        progress("queries", sum(map(len, found)), len(texts))
    return np.concatenate(found)
