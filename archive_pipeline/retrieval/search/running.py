"""One search: its retrievers run at the same time, and their rankings become one list of pages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final, Protocol

import psycopg

from archive_pipeline.errors import (
    ConfigurationError,
    EmbeddingError,
    MissingExtraError,
    VectorStoreError,
    VisualModelError,
)
from archive_pipeline.retrieval.embedders.interface import Embedder, Vectors
from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.retrieval.index.collections import entry_of_page
from archive_pipeline.retrieval.search.filters import NO_FILTERS, SearchFilters
from archive_pipeline.retrieval.search.fusion import first_places, fuse
from archive_pipeline.retrieval.search.modes import MODES, Retriever
from archive_pipeline.retrieval.search.nothing import EMPTY_ARCHIVE, why_nothing
from archive_pipeline.retrieval.search.origins import origins_of
from archive_pipeline.retrieval.search.query import SHORTENED, Query
from archive_pipeline.retrieval.search.results import FoundPage, Page, ResultOptions, SearchResults, one_per_question
from archive_pipeline.retrieval.search.retrievers.base import (
    EMPTY_RANKING,
    FilteredChunks,
    Ranking,
    allowed_chunks,
    chunk_details,
    page_details,
    without_terms,
)
from archive_pipeline.retrieval.search.retrievers.dense import (
    SearchedVectors,
    find_nearest_allowed,
    pages_of,
    searched_vectors,
)
from archive_pipeline.retrieval.search.retrievers.lexical import Vocabulary, find_lexically
from archive_pipeline.retrieval.search.retrievers.visual import find_images, image_details, images_missing
from archive_pipeline.retrieval.search.rows import FoundChunk
from archive_pipeline.retrieval.search.snippets import word_pattern
from archive_pipeline.retrieval.visual.interfaces import PageEncoder
from archive_pipeline.settings import Settings
from archive_pipeline.store.links import originals
from archive_pipeline.store.reading import ReadRequest

# Several chunks are on one page, several pages answer one question: rankings are so much longer than the results.
CHUNKS_PER_RESULT: Final = 10
FEWEST_CHUNKS: Final = 100
# How much longer again where wide filters or exclusions may take most of it away.
FILTERED_FACTOR: Final = 20
DOCUMENTS_ONLY: Final = "dialogues have no page images: only pages of documents were compared"
# What a retriever may fail with while the others succeed.
_RETRIEVER_ERRORS: Final = (VectorStoreError, EmbeddingError, MissingExtraError, ConfigurationError, VisualModelError)

_log = logging.getLogger(__name__)


class Engine(Protocol):
    """What searches of one archive share."""

    @property
    def settings(self) -> Settings:
        """Of the archive."""

    def client(self) -> ChromaClient:
        """Return the vector store."""

    def embedder(self, model: str) -> Embedder:
        """Return the model of an index."""

    def encoder(self) -> PageEncoder:
        """Return the visual model."""

    def vocabulary(self, connection: psycopg.Connection[Any]) -> Vocabulary:
        """Return what is known of the archive's words."""


class Search:
    """One search: its retrievers, and the pages of their rankings."""

    def __init__(
        self,
        engine: Engine,
        request: ReadRequest,
        connection: psycopg.Connection[Any],
        query: Query,
        filters: SearchFilters,
        num_results: int,
    ) -> None:
        self._engine = engine
        self._request = request
        self._connection = connection
        self._query = query
        self._filters = filters
        self._num_results = num_results
        self._allowed: FilteredChunks | None = allowed_chunks(connection, filters)
        is_wide = (self._allowed is None and not filters.is_empty) or bool(query.excluded)
        self._most = max(FEWEST_CHUNKS, num_results * CHUNKS_PER_RESULT) * (FILTERED_FACTOR if is_wide else 1)
        self._images_missing = images_missing(connection, engine.settings)
        self._notes: list[str] = []

    def run(self, mode: str) -> SearchResults:
        """Return the results of a mode."""
        retrievers = MODES[mode].retrievers
        if mode == "hybrid" and self._images_missing is None:
            retrievers += (Retriever.VISUAL,)
        if mode == "visual":
            self._notes.append(self._images_missing or DOCUMENTS_ONLY)
        if self._query.is_shortened and (Retriever.LEXICAL in retrievers or self._query.excluded):
            self._notes.append(SHORTENED)
        ranked, failures = self._rank(retrievers)
        if not ranked and EMPTY_ARCHIVE not in why_nothing(self._connection, NO_FILTERS):
            raise next(iter(failures.values()))
        pages = self._pages(ranked)
        copied_from = originals(self._connection, {found.page[0] for found in pages})
        options = ResultOptions(
            self._num_results,
            word_pattern(self._query.wanted),
            self._engine.settings.home,
            copied_from,
            origins_of(self._connection, {found.page[0] for found in pages if found.chunk.partition_key is None}),
        )
        results = one_per_question(pages, options)
        if not results:
            self._notes += why_nothing(self._connection, self._filters)
        return SearchResults(
            results,
            retrievers=list(ranked),
            degraded={retriever: str(error) for retriever, error in failures.items()},
            notes=self._notes,
        )

    def _rank(self, retrievers: Sequence[Retriever]) -> tuple[dict[str, Ranking], dict[str, Exception]]:
        """Return the rankings of the retrievers, and why others failed."""
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
            self._request.cancel()
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
        vocabulary = self._engine.vocabulary(self._connection)
        return find_lexically(
            self._connection, self._query, vocabulary=vocabulary, allowed=self._allowed, most=self._most
        )

    def _dense(self) -> Ranking:
        vectors = self._searched()
        if not self._query.wanted_text:
            return EMPTY_RANKING
        vector = self._vector(vectors)
        if self._allowed is not None:
            return find_nearest_allowed(vectors, vector, self._allowed, most=self._most)
        return vectors.chunks(vector, most=self._most)

    def _visual(self) -> Ranking:
        if not self._query.wanted_text:
            return EMPTY_RANKING
        if self._images_missing is None:
            return find_images(
                self._connection,
                self._request,
                self._engine.encoder(),
                self._query.wanted_text,
                filters=self._filters,
                most=self._num_results * (CHUNKS_PER_RESULT if self._query.excluded else 1),
            )
        vectors = self._searched()
        return vectors.pages(self._vector(vectors), most=self._most)

    def _searched(self) -> SearchedVectors:
        return searched_vectors(self._request, self._engine.settings, self._engine.client())

    def _vector(self, vectors: SearchedVectors) -> Vectors:
        return self._engine.embedder(vectors.generation.model).embed_query(self._query.wanted_text)

    def _pages(self, ranked: Mapping[str, Ranking]) -> list[FoundPage]:
        """Turn what was ranked into pages: each retriever's first chunk of a page is the page's place in it."""
        rows = self._rows(ranked)
        places: dict[str, list[Page]] = {}
        scores: dict[Page, dict[str, float]] = {}
        best: dict[Page, FoundChunk] = {}
        for retriever, found in ranked.items():
            ranked_rows = [
                (rows[own], score) for own, score in zip(found.ids, found.scores, strict=True) if own in rows
            ]
            places[retriever] = first_places([(row.doc_id, row.page) for row, _ in ranked_rows])
            for row, score in ranked_rows:
                page = row.doc_id, row.page
                scores.setdefault(page, {}).setdefault(retriever, score)
                best.setdefault(page, row)
        return _found(places, scores, best)

    def _rows(self, ranked: Mapping[str, Ranking]) -> dict[str, FoundChunk]:
        """Return what is shown of ranked chunks and pages, those that may be found, by their ids."""
        of_chunks = [found for retriever, found in ranked.items() if retriever != Retriever.VISUAL]
        chunk_ids = {chunk for found in of_chunks for chunk in found.ids}
        rows = chunk_details(self._connection, chunk_ids, self._filters)
        if Retriever.VISUAL in ranked:
            seen = pages_of(ranked[Retriever.VISUAL].ids)
            found = (
                image_details(self._connection, seen)
                if self._images_missing is None
                else page_details(self._connection, seen, self._filters)
            )
            rows |= {entry_of_page(row.doc_id, row.page): row for row in found}
        pages = {(row.doc_id, row.page) for row in rows.values()}
        allowed = without_terms(self._connection, pages, self._query.excluded)
        return {own: row for own, row in rows.items() if (row.doc_id, row.page) in allowed}


def _found(
    places: Mapping[str, Sequence[Page]], scores: Mapping[Page, Mapping[str, float]], best: Mapping[Page, FoundChunk]
) -> list[FoundPage]:
    ranks: dict[Page, dict[str, int]] = {}
    for retriever, pages in places.items():
        for rank, page in enumerate(pages, start=1):
            ranks.setdefault(page, {})[retriever] = rank
    return [FoundPage(page, score, best[page], scores[page], ranks[page]) for page, score in fuse(places).items()]
