"""What searches of one archive share: rules of ranking, models, vectors in memory; and what one of them is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

import psycopg

from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.retrieval.index.held_vectors import HeldVectors
from archive_pipeline.retrieval.rerank.scoring import TimedReranker
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.fusion import Fuse, fuse
from archive_pipeline.retrieval.search.query import Query
from archive_pipeline.retrieval.search.query_reader import QueryReader
from archive_pipeline.retrieval.search.retrievers.lexical import Vocabulary
from archive_pipeline.retrieval.visual.interfaces import PageEncoder
from archive_pipeline.settings import Settings
from archive_pipeline.store.reading import ReadRequest


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


@dataclass(frozen=True, slots=True)
class SearchTask:
    """What one search is given.

    Attributes:
        engine: what searches share.
        request: whom it is for.
        connection: what it reads with.
        query: what is looked for.
        filters: what may be found.
        num_results: how many results at the most.
    """

    engine: Engine
    request: ReadRequest
    connection: psycopg.Connection[Any]
    query: Query
    filters: SearchFilters
    num_results: int
