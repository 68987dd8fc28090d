"""One search: its retrievers run at the same time, and their rankings become one list of pages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

import psycopg

from archive_pipeline.errors import (
    ConfigurationError,
    EmbeddingError,
    MissingExtraError,
    RerankerError,
    VectorStoreError,
    VisualModelError,
)
from archive_pipeline.retrieval.embedders.interface import Vectors
from archive_pipeline.retrieval.embedders.words import WordVectors
from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.retrieval.index.held_vectors import HeldVectors
from archive_pipeline.retrieval.rerank.scoring import TimedReranker
from archive_pipeline.retrieval.search.beside import read_beside
from archive_pipeline.retrieval.search.filters import NO_FILTERS, SearchFilters
from archive_pipeline.retrieval.search.found_pages import fused_pages, read_rows
from archive_pipeline.retrieval.search.fusion import Fuse, fuse
from archive_pipeline.retrieval.search.modes import MODES, Retriever
from archive_pipeline.retrieval.search.near_words import by_words
from archive_pipeline.retrieval.search.nothing import EMPTY_ARCHIVE, why_nothing
from archive_pipeline.retrieval.search.origins import origins_of
from archive_pipeline.retrieval.search.query import SHORTENED, Query
from archive_pipeline.retrieval.search.query_reader import QueryReader
from archive_pipeline.retrieval.search.relevance import NOTHING_RELEVANT, relevance
from archive_pipeline.retrieval.search.results import (
    FoundPage,
    ResultOptions,
    SearchResults,
    as_result,
    one_per_question,
)
from archive_pipeline.retrieval.search.retrievers.base import EMPTY_RANKING, FilteredChunks, Ranking, allowed_chunks
from archive_pipeline.retrieval.search.retrievers.dense import (
    SearchedVectors,
    find_nearest_allowed,
    searched_vectors,
    with_shares,
)
from archive_pipeline.retrieval.search.retrievers.lexical import Vocabulary, find_lexically
from archive_pipeline.retrieval.search.retrievers.visual import find_images, images_missing
from archive_pipeline.retrieval.search.second_stage import NO_TIME, NOT_RERANKED, reranked
from archive_pipeline.retrieval.search.snippets import word_pattern
from archive_pipeline.retrieval.visual.interfaces import PageEncoder
from archive_pipeline.settings import Settings
from archive_pipeline.store.embeddings import Chance
from archive_pipeline.store.reading import ReadRequest

# Several chunks are on one page, several pages answer one question: rankings are so much longer than the results.
CHUNKS_PER_RESULT: Final = 10
# Of the best pages, so many are asked whether they repeat each other.
PAGES_PER_RESULT: Final = 3
FEWEST_CHUNKS: Final = 100
# How much longer again where wide filters or exclusions may take most of it away.
FILTERED_FACTOR: Final = 20
ONLY_EXCLUDED: Final = "the query only says what is not wanted, so nothing was looked for"
DOCUMENTS_ONLY: Final = "dialogues have no page images: only pages of documents were compared"
# What a retriever may fail with while the others succeed.
_RETRIEVER_ERRORS: Final = (VectorStoreError, EmbeddingError, MissingExtraError, ConfigurationError, VisualModelError)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RankingRules:
    """How pages are ranked; `make bench-quality` compares others with these.

    Attributes:
        fuse: makes one ranking of several.
        is_relevance_judged: what is no nearer than chance is left out.
        are_times_read: times in the query become filters, where the caller does not want them literally.
        are_words_compared: the best pages are ordered by how near their words come to those of the query, too.
    """

    fuse: Fuse = fuse
    is_relevance_judged: bool = True
    are_times_read: bool = True
    are_words_compared: bool = True


DEFAULT_RULES: Final = RankingRules()


class Engine(Protocol):
    """What searches of one archive share."""

    @property
    def settings(self) -> Settings:
        """Of the archive."""

    @property
    def rules(self) -> RankingRules:
        """How pages are ranked."""

    @property
    def held_vectors(self) -> HeldVectors:
        """Vectors in memory."""

    def client(self) -> ChromaClient:
        """Return the vector store."""

    @property
    def query_reader(self) -> QueryReader:
        """What reads queries."""

    def encoder(self) -> PageEncoder:
        """Return the visual model."""

    def reranker(self, model: str) -> TimedReranker:
        """Return the model of the second stage."""

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
        self._chance: Chance | None = None
        self._words: WordVectors | None = None
        self._reranked: bool | None = None

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
        rows = read_rows(self._connection, ranked, self._query, self._filters, has_images=self._images_missing is None)
        found = fused_pages(ranked, rows, self._engine.rules.fuse)
        pages = self._by_words(found)
        relevant = self._relevant(found, pages, ranked)
        results = self._results(relevant if mode == "visual" else self._second_stage(pages, relevant), pages)
        if not results:
            self._notes += [ONLY_EXCLUDED] if self._query.excluded and not self._query.wanted else []
            self._notes += why_nothing(self._connection, self._filters)
        return SearchResults(
            results,
            retrievers=list(ranked),
            degraded={retriever: str(error) for retriever, error in failures.items()},
            notes=self._notes,
            reranked=self._reranked,
        )

    def _by_words(self, pages: list[FoundPage]) -> list[FoundPage]:
        """Return the pages by their words, too, where the model of meaning knows words."""
        if self._words is None or not self._engine.rules.are_words_compared:
            return pages
        return by_words(pages, partial(self._words.nearness, self._query.wanted_text))

    def _relevant(
        self, found: list[FoundPage], pages: list[FoundPage], ranked: Mapping[str, Ranking]
    ) -> list[FoundPage]:
        """Return the pages that have to do with the query; say so if there are none.

        Words alone decide where no meaning was compared, and everything is shown where nobody measured chance.

        Args:
            found: as retrievers rank them.
            pages: the same by their words; what is nearly as good as the best of either is kept.
            ranked: the rankings.
        """
        if not (pages and self._engine.rules.is_relevance_judged and self._chance is not None):
            return pages
        words = ranked.get(Retriever.LEXICAL)
        needed = relevance(
            self._chance,
            is_any_word_known=words is None or bool(words.ids),
            term_count=len(self._query.wanted) if words is None else words.term_count,
        )
        kept = {page.page for some in (found, pages) for page in needed.of(some)}
        if not kept:
            self._notes.append(NOTHING_RELEVANT)
        return [page for page in pages if page.page in kept]

    def _second_stage(self, pages: list[FoundPage], relevant: list[FoundPage]) -> list[FoundPage]:
        """Return what is shown in the order of the second stage; in that of the first one, with a note, if it fails."""
        model, question = self._engine.settings.reranker, self._query.wanted_text
        if model is None or not relevant or not question:
            return relevant
        try:
            reranker = self._engine.reranker(model)
            ordered = reranked(pages, relevant, question, reranker)
            reason = NO_TIME.format(seconds=reranker.seconds)
        except (RerankerError, MissingExtraError) as error:
            _log.info("the second stage failed: %s", error)
            ordered, reason = None, str(error)
        self._reranked = ordered is not None
        if ordered is None:
            self._notes.append(NOT_RERANKED.format(reason=reason))
            return relevant
        return ordered

    def _results(self, pages: Sequence[FoundPage], found: Sequence[FoundPage]) -> list[dict[str, Any]]:
        """Return what is shown of the pages, the best first and those that belong together as one.

        Args:
            pages: what is relevant.
            found: everything: other runs of a relevant page's task are shown with it.
        """
        relevant = {each.page for each in pages}
        others = [each for each in found if each.page not in relevant]
        beside = read_beside(self._connection, [*pages, *others], limit=self._num_results * PAGES_PER_RESULT)
        words, home = word_pattern(self._query.wanted), self._engine.settings.home
        documents = {each.page[0] for each in pages if each.chunk.partition_key is None}
        options = ResultOptions(
            self._num_results,
            words,
            home,
            originals=beside.originals,
            origins=origins_of(self._connection, documents),
            clusters=beside.clusters,
            runs=beside.runs,
            reranked=self._reranked,
        )
        groups = one_per_question(pages, options, others)
        return [as_result(group, beside.answer_to(group[0]), options) for group in groups]

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
        self._chance = vectors.chance
        vector = self._vector(vectors)
        self._words = self._engine.query_reader.words(vectors)
        if self._allowed is not None:
            return with_shares(find_nearest_allowed(vectors, vector, self._allowed, most=self._most))
        return with_shares(vectors.chunks(vector, most=self._most))

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
        return searched_vectors(self._request, self._engine.settings, self._engine.client(), self._engine.held_vectors)

    def _vector(self, vectors: SearchedVectors) -> Vectors:
        vector, note = self._engine.query_reader.read(self._request, vectors, self._query.wanted_text)
        if note is not None:
            self._notes.append(note)
        return vector
