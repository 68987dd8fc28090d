"""The rankings of one search: its retrievers run at the same time, and one that fails does not keep the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Final

import psycopg

from archive_pipeline.errors import (
    ConfigurationError,
    EmbeddingError,
    MissingExtraError,
    VectorStoreError,
    VisualModelError,
)
from archive_pipeline.retrieval.embedders.interface import Vectors
from archive_pipeline.retrieval.embedders.words import WordVectors
from archive_pipeline.retrieval.search.interface import SearchTask
from archive_pipeline.retrieval.search.modes import Retriever
from archive_pipeline.retrieval.search.relevance import NOTHING_RELEVANT
from archive_pipeline.retrieval.search.retrievers.base import EMPTY_RANKING, FilteredChunks, Ranking, allowed_chunks
from archive_pipeline.retrieval.search.retrievers.dense import (
    SearchedVectors,
    find_nearest_allowed,
    searched_vectors,
    with_shares,
)
from archive_pipeline.retrieval.search.retrievers.lexical import find_lexically
from archive_pipeline.retrieval.search.retrievers.visual import find_images, images_missing
from archive_pipeline.store.embeddings import Chance

# Several chunks are on one page, several pages answer one question: rankings are so much longer than the results.
CHUNKS_PER_RESULT: Final = 10
FEWEST_CHUNKS: Final = 100
# How much longer again where wide filters, phrases or exclusions may take most of it away.
FILTERED_FACTOR: Final = 20
# What a retriever may fail with while the others succeed.
_RETRIEVER_ERRORS: Final = (VectorStoreError, EmbeddingError, MissingExtraError, ConfigurationError, VisualModelError)

_log = logging.getLogger(__name__)


class Rankings:
    """Runs the retrievers of one search.

    Attributes:
        is_nothing_allowed: whether the filters let nothing through.
        images_missing: why no image of a page can be compared, None if some can.
        notes: what the user is told of how the query was read.
        chance: what random questions reach; None as long as no meaning was compared, or where nobody measured it.
        words: the words that the model of meaning knows; None as long as no meaning was compared, or if it knows none.
    """

    def __init__(self, task: SearchTask) -> None:
        self._task = task
        self._allowed: FilteredChunks | None = allowed_chunks(task.connection, task.filters)
        is_wide = (self._allowed is None and not task.filters.is_empty) or bool(
            task.query.excluded or task.query.phrases
        )
        self._most = max(FEWEST_CHUNKS, task.num_results * CHUNKS_PER_RESULT) * (FILTERED_FACTOR if is_wide else 1)
        self.is_nothing_allowed = self._allowed is not None and not self._allowed.content_hashes
        self.images_missing = images_missing(task.connection, task.engine.settings)
        self.notes: list[str] = []
        self.chance: Chance | None = None
        self.words: WordVectors | None = None

    def run(self, retrievers: Sequence[Retriever]) -> tuple[dict[str, Ranking], dict[str, Exception]]:
        """Return the rankings of the retrievers, by name, and why others failed."""
        ranked: dict[str, Ranking] = {}
        failures: dict[str, Exception] = {}
        for retriever, answer in self._run_all(retrievers).items():
            try:
                ranked[retriever.value] = answer.result()
            except _RETRIEVER_ERRORS as error:
                _log.info("the %s retriever failed: %s", retriever, error)
                failures[retriever.value] = error
        return ranked, failures

    def _run_all(self, retrievers: Sequence[Retriever]) -> dict[Retriever, Future[Ranking]]:
        """Run the retrievers at the same time: one waits for PostgreSQL, another one computes."""
        threads = ThreadPoolExecutor(len(retrievers))
        try:
            running = {retriever: threads.submit(self._ranking, retriever) for retriever in retrievers}
            wait(running.values())
        except BaseException:  # Ctrl-C, which only this thread gets
            self._task.request.cancel()
            raise
        finally:
            threads.shutdown()
        for answer in running.values():
            # A statement that was ended spoils the transaction for the other retrievers and causes their errors.
            if isinstance(error := answer.exception(), psycopg.errors.QueryCanceled):
                raise error
        return running

    def _ranking(self, retriever: Retriever) -> Ranking:
        find: Mapping[Retriever, Callable[[], Ranking]] = {
            Retriever.DENSE: self._dense,
            Retriever.LEXICAL: self._lexical,
            Retriever.VISUAL: self._visual,
        }
        return find[retriever]()

    def _lexical(self) -> Ranking:
        vocabulary = self._task.engine.vocabulary(self._task.connection)
        return find_lexically(
            self._task.connection, self._task.query, vocabulary=vocabulary, allowed=self._allowed, most=self._most
        )

    def _dense(self) -> Ranking:
        vectors = self._searched()
        if not self._task.query.wanted_text:
            return EMPTY_RANKING
        self.chance = vectors.chance
        vector = self._vector(vectors)
        self.words = self._task.engine.query_reader.words(vectors)
        if self._allowed is not None:
            return with_shares(find_nearest_allowed(vectors, vector, self._allowed, most=self._most), self.chance)
        return with_shares(vectors.chunks(vector, most=self._most), self.chance)

    def _visual(self) -> Ranking:
        if not self._task.query.wanted_text:
            return EMPTY_RANKING
        if self.images_missing is None:
            return find_images(
                self._task.connection,
                self._task.request,
                self._task.engine.encoder(),
                self._task.query.wanted_text,
                filters=self._task.filters,
                most=self._task.num_results * (CHUNKS_PER_RESULT if self._task.query.excluded else 1),
            )
        vectors = self._searched()
        vector = self._vector(vectors)
        if self._is_near_by_chance(vectors, vector):
            self.notes.append(NOTHING_RELEVANT)
            return EMPTY_RANKING
        return vectors.pages(vector, most=self._most)

    def _is_near_by_chance(self, vectors: SearchedVectors, vector: Vectors) -> bool:
        """Tell whether no text is nearer than chance, which is measured of texts: means of pages are no nearer."""
        if vectors.chance is None or not self._task.engine.rules.is_relevance_judged:
            return False
        return all(score < vectors.chance.usual for score in vectors.chunks(vector, most=1).scores)

    def _searched(self) -> SearchedVectors:
        engine = self._task.engine
        return searched_vectors(self._task.request, engine.settings, engine.client(), engine.held_vectors)

    def _vector(self, vectors: SearchedVectors) -> Vectors:
        vector, note = self._task.engine.query_reader.read(self._task.request, vectors, self._task.query.wanted_text)
        if note is not None:
            self.notes.append(note)
        return vector
