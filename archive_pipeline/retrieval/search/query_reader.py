"""Reading what is searched for: by the model of the index, and by the one that its queries have a map for."""

from __future__ import annotations

import logging
import threading
from typing import Final

from archive_pipeline.errors import ConfigurationError, EmbeddingError, MissingExtraError
from archive_pipeline.retrieval.embedders.alignment import AlignedEmbedder, Alignment
from archive_pipeline.retrieval.embedders.interface import Embedder, Vectors, check_dimensions
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.embedders.static import StaticEmbedder
from archive_pipeline.retrieval.embedders.words import WordVectors
from archive_pipeline.retrieval.search.retrievers.dense import SearchedVectors
from archive_pipeline.settings import Settings
from archive_pipeline.store.alignments import find_alignment
from archive_pipeline.store.reading import Sessions

READ_BY_TEXTS_MODEL: Final = "the query was read by the model of the texts alone: {reason}"

_log = logging.getLogger(__name__)


class QueryReader:
    """The models that read queries, each loaded once. Several threads may use one.

    Args:
        settings: of the archive.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._embedders: dict[str, Embedder] = {}
        # The number of a map, and what reads queries by it.
        self._aligned: tuple[int, AlignedEmbedder] | None = None
        self._words: WordVectors | None = None

    def read(self, sessions: Sessions, vectors: SearchedVectors, text: str) -> tuple[Vectors, str | None]:
        """Return the vector of a query, and a note if a model that should have read it could not.

        Args:
            sessions: on the archive.
            vectors: what is searched.
            text: the query.

        Raises:
            MissingExtraError, EmbeddingError, ConfigurationError: the model of the texts cannot be used, or is another
                one now.
        """
        with self._lock:
            own = self._embedder(vectors.generation.model)
        vector, note = self._read(own, sessions, vectors, text)
        check_dimensions(own.name, vector, vectors.generation.dimensions)
        return vector, note

    def words(self, vectors: SearchedVectors) -> WordVectors | None:
        """Return what compares words; None if the model of the texts knows no single words."""
        with self._lock:
            own = self._embedder(vectors.generation.model)
            if not isinstance(own, StaticEmbedder):
                return None
            if self._words is None:
                self._words = WordVectors(own)
            return self._words

    def _read(
        self, own: Embedder, sessions: Sessions, vectors: SearchedVectors, text: str
    ) -> tuple[Vectors, str | None]:
        if vectors.alignment_id is None:
            return own.embed_query(text), None
        try:
            with self._lock:
                aligned = self._aligned_to(own, sessions, vectors)
            return aligned.embed_query(text), None
        except (MissingExtraError, EmbeddingError, ConfigurationError) as error:
            _log.info("a query was read by %s alone: %s", own.name, error)
            return own.embed_query(text), READ_BY_TEXTS_MODEL.format(reason=error)

    def _aligned_to(self, own: Embedder, sessions: Sessions, vectors: SearchedVectors) -> Embedder:
        if self._aligned is None or self._aligned[0] != vectors.alignment_id:
            with sessions.session() as connection:
                stored = find_alignment(connection, vectors.generation)
            if stored is None:
                return own  # it was deleted since
            reader = self._embedder(stored.query_model)
            self._aligned = stored.id, AlignedEmbedder(own, reader, Alignment(stored.matrix))
        return self._aligned[1]

    def _embedder(self, model: str) -> Embedder:
        if model not in self._embedders:
            self._embedders[model] = open_embedder(self._settings, model)
        return self._embedders[model]
