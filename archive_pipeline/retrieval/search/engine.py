"""``SearchEngine``: finds pages of dialogues and documents by meaning, by words, or by both (seed 002)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

import psycopg

from archive_pipeline.errors import InvalidQueryError, RerankerError
from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.retrieval.index.held_vectors import HeldVectors
from archive_pipeline.retrieval.pages.store import PageStore
from archive_pipeline.retrieval.rerank.opening import open_reranker
from archive_pipeline.retrieval.rerank.scoring import TimedReranker
from archive_pipeline.retrieval.search.filters import NO_FILTERS, SearchFilters
from archive_pipeline.retrieval.search.interface import DEFAULT_RULES, RankingRules, SearchTask
from archive_pipeline.retrieval.search.modes import DEFAULT_MODE, check_mode
from archive_pipeline.retrieval.search.query import parse_query
from archive_pipeline.retrieval.search.query_reader import QueryReader
from archive_pipeline.retrieval.search.results import SearchResults
from archive_pipeline.retrieval.search.retrievers.lexical import Vocabulary, read_vocabulary
from archive_pipeline.retrieval.search.running import DOCUMENTS_ONLY, Search
from archive_pipeline.retrieval.search.time_words import LISTED, NOTHING_OF, NOTHING_THEN, READ_AS_TIME, read_time
from archive_pipeline.retrieval.visual.interfaces import PageEncoder
from archive_pipeline.retrieval.visual.models import open_encoder
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.reading import ReadRequest, read_in_thread
from archive_pipeline.text.user_input import MOST_RESULTS

__all__ = ["DOCUMENTS_ONLY", "SearchEngine", "SearchFilters", "SearchResults"]

# A search holds a connection while it asks for another one; were the pool's fifteen all held, none would get one.
MOST_SEARCHES: Final = 4
FOUND_WITHOUT_FILTERS: Final = "without the filters there are pages about it"
VOCABULARY_SECONDS: Final = 600.0


@dataclass(frozen=True, slots=True)
class _Asked:
    """The arguments of a search."""

    text: str
    num_results: int
    mode: str
    filters: SearchFilters
    time_words: bool


@dataclass
class SearchEngine:
    """Searches an archive. Several threads may use one engine.

    Attributes:
        database: the archive.
        settings: of the archive.
        chroma_client: the vector store; opened when it is needed.
        rules: how pages are ranked.
        now: says what time it is, for times such as "last week".
        held_vectors: what an engine of many searches has in memory.
        query_reader: reads what is searched for.
    """

    database: Database
    settings: Settings
    chroma_client: ChromaClient | None = None
    rules: RankingRules = DEFAULT_RULES
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC), repr=False)
    held_vectors: HeldVectors = field(default_factory=HeldVectors, repr=False)
    _encoder: PageEncoder | None = field(default=None, init=False, repr=False)
    query_reader: QueryReader = field(init=False, repr=False)
    _opening: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _rerankers: dict[str, TimedReranker | RerankerError] = field(default_factory=dict, init=False, repr=False)
    _opening_reranker: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    # The visual model may take a minute to load, which the other retrievers need not wait for.
    _encoding: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _places: threading.Semaphore = field(
        default_factory=lambda: threading.Semaphore(MOST_SEARCHES), init=False, repr=False
    )
    _vocabulary: tuple[float, Vocabulary] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.query_reader = QueryReader(self.settings)

    async def search(
        self,
        query: str,
        num_results: int = 10,
        search_mode: str = DEFAULT_MODE,
        *,
        filters: SearchFilters = NO_FILTERS,
        time_words: bool = True,
    ) -> SearchResults:
        """Return the pages that fit the query best, one per question.

        Each result is ``{"doc_id", "page", "score", "filename", "metadata", …}``; docs/search.md has all fields. A
        retriever that fails is left out and named in ``degraded`` as long as another one answers.

        Args:
            query: words, "phrases" that a page must have, prefix* and -exclusions.
            num_results: most results, 1 to 1,000.
            search_mode: ``hybrid`` (all there is), ``text`` (meaning), ``lexical`` (words), ``visual`` (page images of
                documents; without a visual model the text of whole pages).
            filters: what may be found.
            time_words: a time in the query ("last week", "in May 2024") becomes the filters since and until, and a note
                says so. What is quoted is no time, and nothing is where one of these filters is set.

        Raises:
            InvalidQueryError: query, number or mode make no sense.
            QueryTimeoutError: a statement took too long.
            VectorStoreError, EmbeddingError, VisualModelError, MissingExtraError, ConfigurationError: every retriever
                of the mode failed.
        """
        request = ReadRequest(self.database)
        asked = _Asked(query, num_results, search_mode, filters, time_words)
        return await read_in_thread(request, lambda: self._search(request, asked))

    def search_now(
        self,
        query: str,
        num_results: int = 10,
        search_mode: str = DEFAULT_MODE,
        *,
        filters: SearchFilters = NO_FILTERS,
        time_words: bool = True,
    ) -> SearchResults:
        """Do what ``search`` does, in this thread."""
        return self._search(ReadRequest(self.database), _Asked(query, num_results, search_mode, filters, time_words))

    def _search(self, request: ReadRequest, asked: _Asked) -> SearchResults:
        query = parse_query(asked.text)
        check_mode(asked.mode)
        if not 1 <= asked.num_results <= MOST_RESULTS:
            raise InvalidQueryError(f"{asked.num_results} results cannot be asked for; use 1 to {MOST_RESULTS:,}")
        timed = read_time(query, asked.filters, self.now()) if self._reads_times(asked) else None
        with self._places, request.session() as connection:
            task = SearchTask(self, request, connection, query, asked.filters, asked.num_results)
            if timed is None:
                return self._filtered(task, asked.mode)
            then = replace(task, query=timed.query, filters=timed.filters)
            if not timed.query.wanted:
                results = Search(then).newest()
                note = LISTED if results else NOTHING_OF
                return (results or Search(task).run(asked.mode)).with_note(timed.told(note))
            results = Search(then).run(asked.mode)
            if results:
                return results.with_note(timed.told(READ_AS_TIME))
            results = self._filtered(replace(task, query=timed.query), asked.mode)
            if not results:
                return results  # the words of the time alone would find anything
            return Search(task).run(asked.mode).with_note(timed.told(NOTHING_THEN))

    def _filtered(self, task: SearchTask, mode: str) -> SearchResults:
        """Search as the filters say; if nothing is found, say whether anything is without them."""
        results = Search(task).run(mode)
        if (
            results
            or task.filters.is_empty
            or not Search(replace(task, filters=NO_FILTERS, num_results=1)).finds_any(mode)
        ):
            return results
        return results.with_note(FOUND_WITHOUT_FILTERS)

    def _reads_times(self, asked: _Asked) -> bool:
        return asked.time_words and self.rules.are_times_read

    @property
    def pages(self) -> PageStore:
        """The pages that are searched, one by one."""
        return PageStore(self.database, self.settings.home)

    def client(self) -> ChromaClient:
        """Return the vector store."""
        with self._opening:
            if self.chroma_client is None:
                self.chroma_client = ChromaClient(self.database, self.settings)
            return self.chroma_client

    def encoder(self) -> PageEncoder:
        """Return the visual model, loaded once."""
        with self._encoding:
            if self._encoder is None:
                self._encoder = open_encoder(self.settings)
            return self._encoder

    def reranker(self, model: str) -> TimedReranker:
        """Return a model of the second stage, loaded once; an error is kept too, since a hub is asked for a minute.

        Raises:
            MissingExtraError, RerankerError: it cannot be loaded.
        """
        with self._opening_reranker:
            if model not in self._rerankers:
                self._rerankers[model] = _opened(self.settings, model)
            reranker = self._rerankers[model]
        if isinstance(reranker, RerankerError):
            raise reranker
        return reranker

    def vocabulary(self, connection: psycopg.Connection[Any]) -> Vocabulary:
        """Return what is known of the archive's words, read anew every ten minutes."""
        now = time.monotonic()
        if self._vocabulary is None or now - self._vocabulary[0] > VOCABULARY_SECONDS:
            self._vocabulary = now, read_vocabulary(connection)
        return self._vocabulary[1]


def _opened(settings: Settings, model: str) -> TimedReranker | RerankerError:
    try:
        return TimedReranker(open_reranker(settings, model))
    except RerankerError as error:
        return error
