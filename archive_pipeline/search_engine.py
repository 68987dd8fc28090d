"""``SearchEngine``: finds pages of dialogues and documents by meaning, by words, or by both (seed 002)."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg

from archive_pipeline.chroma_client import ChromaClient
from archive_pipeline.embeddings.models import Embedder, Vectors, open_embedder
from archive_pipeline.errors import (
    ConfigurationError,
    EmbeddingError,
    InvalidQueryError,
    MissingExtraError,
    VectorStoreError,
    VisualModelError,
)
from archive_pipeline.search.dense import find_nearest, find_nearest_allowed, pages_of
from archive_pipeline.search.filters import NO_FILTERS, SearchFilters
from archive_pipeline.search.fusion import first_places, fuse
from archive_pipeline.search.images import find_images, image_details, images_missing
from archive_pipeline.search.lanes import (
    NOTHING,
    Allowed,
    Lane,
    Ranked,
    allowed_chunks,
    chunk_details,
    page_details,
    without_terms,
)
from archive_pipeline.search.lexical import Vocabulary, find_lexically, read_vocabulary
from archive_pipeline.search.query import Query, parse_query
from archive_pipeline.search.results import FoundPage, Page, SearchResults, Shown, one_per_question
from archive_pipeline.search.snippets import asked_words
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.vector_store.collections import entry_of_page
from archive_pipeline.visual.interfaces import PageEncoder
from archive_pipeline.visual.models import open_encoder

__all__ = ["DOCUMENTS_ONLY", "SearchEngine", "SearchFilters", "SearchResults"]

MODES: Final[Mapping[str, tuple[Lane, ...]]] = {
    "hybrid": (Lane.DENSE, Lane.LEXICAL),
    "text": (Lane.DENSE,),
    "visual": (Lane.VISUAL,),
    "lexical": (Lane.LEXICAL,),
}
MOST_RESULTS: Final = 1_000
# A search holds a connection while it asks for another one; were the pool's fifteen all held, none would get one.
MOST_SEARCHES: Final = 4
# Several chunks are on one page, several pages answer one question: lanes are followed so much further down.
CHUNKS_PER_RESULT: Final = 10
FEWEST_CHUNKS: Final = 100
# How much further again where wide filters or exclusions may take most of it away.
FILTERED_FACTOR: Final = 20
VOCABULARY_SECONDS: Final = 600.0
DOCUMENTS_ONLY: Final = "dialogues have no page images: only pages of documents were compared"
# What a lane may fail with while the others answer.
_LANE_ERRORS: Final = (VectorStoreError, EmbeddingError, MissingExtraError, ConfigurationError, VisualModelError)

_log = logging.getLogger(__name__)


@dataclass
class SearchEngine:
    """Searches an archive. Several threads may use one engine.

    Attributes:
        database: the archive.
        settings: of the archive.
        chroma_client: the vector store; opened when it is needed.
    """

    database: Database
    settings: Settings
    chroma_client: ChromaClient | None = None
    _encoder: PageEncoder | None = field(default=None, init=False, repr=False)
    _embedders: dict[str, Embedder] = field(default_factory=dict, init=False, repr=False)
    _opening: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _places: threading.Semaphore = field(
        default_factory=lambda: threading.Semaphore(MOST_SEARCHES), init=False, repr=False
    )
    _vocabulary: tuple[float, Vocabulary] | None = field(default=None, init=False, repr=False)

    async def search(
        self,
        query: str,
        num_results: int = 10,
        search_mode: str = "hybrid",
        *,
        filters: SearchFilters = NO_FILTERS,
    ) -> SearchResults:
        """Return the pages that fit the query best, one per question.

        Each result is ``{"doc_id", "page", "score", "filename", "metadata", …}``; docs/search.md has all fields. A lane
        that fails is left out and named in ``degraded`` as long as another one answers.

        Args:
            query: words, "phrases", prefix* and -exclusions.
            num_results: most results, 1 to 1,000.
            search_mode: ``hybrid`` (all there is), ``text`` (meaning), ``lexical`` (words), ``visual`` (page images of
                documents; without a visual model the text of whole pages).
            filters: what may be found.

        Raises:
            InvalidQueryError: query, number or mode make no sense.
            VectorStoreError, EmbeddingError, VisualModelError, MissingExtraError, ConfigurationError: no lane of the
                mode can answer.
        """
        return await asyncio.to_thread(self.search_now, query, num_results, search_mode, filters=filters)

    def search_now(
        self, query: str, num_results: int = 10, search_mode: str = "hybrid", *, filters: SearchFilters = NO_FILTERS
    ) -> SearchResults:
        """Do what ``search`` does, in this thread."""
        asked = parse_query(query)
        if search_mode not in MODES:
            raise InvalidQueryError(f"no search mode is called {search_mode!r}; there are {', '.join(MODES)}")
        if not 1 <= num_results <= MOST_RESULTS:
            raise InvalidQueryError(f"{num_results} results cannot be asked for; use 1 to {MOST_RESULTS:,}")
        with self._places, self.database.session() as connection:
            search = _Search(self, connection, asked, filters, num_results)
            return search.run(search_mode)

    def client(self) -> ChromaClient:
        """Return the vector store."""
        with self._opening:
            if self.chroma_client is None:
                self.chroma_client = ChromaClient(self.database, self.settings)
            return self.chroma_client

    def embedder(self, model: str) -> Embedder:
        """Return the model of an index, loaded once."""
        with self._opening:
            if model not in self._embedders:
                self._embedders[model] = open_embedder(self.settings, model)
            return self._embedders[model]

    def encoder(self) -> PageEncoder:
        """Return the visual model, loaded once."""
        if self._encoder is None:
            self._encoder = open_encoder(self.settings)
        return self._encoder

    def vocabulary(self, connection: psycopg.Connection[Any]) -> Vocabulary:
        """Return what is known of the archive's words, read anew every ten minutes."""
        now = time.monotonic()
        if self._vocabulary is None or now - self._vocabulary[0] > VOCABULARY_SECONDS:
            self._vocabulary = now, read_vocabulary(connection)
        return self._vocabulary[1]


class _Search:
    """One search."""

    def __init__(
        self,
        engine: SearchEngine,
        connection: psycopg.Connection[Any],
        query: Query,
        filters: SearchFilters,
        num_results: int,
    ) -> None:
        self._engine = engine
        self._connection = connection
        self._query = query
        self._filters = filters
        self._num_results = num_results
        self._allowed: Allowed | None = allowed_chunks(connection, filters)
        is_wide = (self._allowed is None and not filters.is_empty) or bool(query.excluded)
        self._most = max(FEWEST_CHUNKS, num_results * CHUNKS_PER_RESULT) * (FILTERED_FACTOR if is_wide else 1)
        self._images_missing = images_missing(connection, engine.settings)
        self._notes: list[str] = []

    def run(self, mode: str) -> SearchResults:
        lanes = MODES[mode]
        if mode == "hybrid" and self._images_missing is None:
            lanes += (Lane.VISUAL,)
        if mode == "visual":
            self._notes.append(self._images_missing or DOCUMENTS_ONLY)
        ranked: dict[str, Ranked] = {}
        failures: dict[str, Exception] = {}
        # One waits for PostgreSQL, another one computes.
        with ThreadPoolExecutor(len(lanes)) as threads:
            running = {lane: threads.submit(self._lane, lane) for lane in lanes}
        for lane, answer in running.items():
            try:
                ranked[lane.value] = answer.result()
            except _LANE_ERRORS as error:
                _log.info("search lane %s is down: %s", lane, error)
                failures[lane.value] = error
        if not ranked:
            raise next(iter(failures.values()))
        shown = Shown(self._num_results, asked_words(self._query.wanted), self._engine.settings.home)
        return SearchResults(
            one_per_question(self._pages(ranked), shown),
            lanes=list(ranked),
            degraded={lane: str(error) for lane, error in failures.items()},
            notes=self._notes,
        )

    def _lane(self, lane: Lane) -> Ranked:
        find: Mapping[Lane, Callable[[], Ranked]] = {
            Lane.DENSE: self._dense,
            Lane.LEXICAL: self._lexical,
            Lane.VISUAL: self._visual,
        }
        return find[lane]()

    def _lexical(self) -> Ranked:
        vocabulary = self._engine.vocabulary(self._connection)
        return find_lexically(
            self._connection, self._query, vocabulary=vocabulary, allowed=self._allowed, most=self._most
        )

    def _dense(self) -> Ranked:
        client = self._engine.client()
        if not self._query.wanted_text:
            return NOTHING
        vector = self._vector(client)
        if self._allowed is not None:
            generation = client.index.generation
            return find_nearest_allowed(self._connection, generation, vector, self._allowed, most=self._most)
        return find_nearest(client.text_collection, vector, most=self._most)

    def _visual(self) -> Ranked:
        if not self._query.wanted_text:
            return NOTHING
        if self._images_missing is None:
            return find_images(
                self._connection,
                self._engine.database,
                self._engine.encoder(),
                self._query.wanted_text,
                filters=self._filters,
                most=self._num_results * (CHUNKS_PER_RESULT if self._query.excluded else 1),
            )
        client = self._engine.client()
        return find_nearest(client.visual_collection, self._vector(client), most=self._most)

    def _vector(self, client: ChromaClient) -> Vectors:
        return self._engine.embedder(client.index.generation.model).embed_query(self._query.wanted_text)

    def _pages(self, ranked: Mapping[str, Ranked]) -> list[FoundPage]:
        """Turn what was ranked into pages: each lane's first chunk of a page is the page's place in it."""
        rows = self._rows(ranked)
        places: dict[str, list[Page]] = {}
        scores: dict[Page, dict[str, float]] = {}
        best: dict[Page, Any] = {}
        for lane, found in ranked.items():
            shown = [(rows[own], score) for own, score in zip(found.ids, found.scores, strict=True) if own in rows]
            places[lane] = first_places([(row.doc_id, row.page) for row, _ in shown])
            for row, score in shown:
                page = row.doc_id, row.page
                scores.setdefault(page, {}).setdefault(lane, score)
                best.setdefault(page, row)
        return _found(places, scores, best)

    def _rows(self, ranked: Mapping[str, Ranked]) -> dict[str, Any]:
        """Return what is shown of chunks and pages, those that may be found, by the ids of the lanes."""
        chunk_ids = {chunk for lane, found in ranked.items() if lane != Lane.VISUAL for chunk in found.ids}
        rows = chunk_details(self._connection, chunk_ids, self._filters)
        if Lane.VISUAL in ranked:
            seen = pages_of(ranked[Lane.VISUAL].ids)
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
    places: Mapping[str, Sequence[Page]], scores: Mapping[Page, Mapping[str, float]], best: Mapping[Page, Any]
) -> list[FoundPage]:
    ranks: dict[Page, dict[str, int]] = {}
    for lane, pages in places.items():
        for rank, page in enumerate(pages, start=1):
            ranks.setdefault(page, {})[lane] = rank
    return [FoundPage(page, score, best[page], scores[page], ranks[page]) for page, score in fuse(places).items()]
