"""The dense retriever: nearest vectors, in PostgreSQL or Chroma; exactly where filters leave few chunks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.errors import VectorStoreError
from archive_pipeline.retrieval.embedders.interface import Vectors
from archive_pipeline.retrieval.index.choice import chosen_store
from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.retrieval.index.collections import ReadCollection
from archive_pipeline.retrieval.index.held_vectors import Candidates, HeldVectors
from archive_pipeline.retrieval.index.nearest import nearest_chunks, nearest_pages, scores_of_texts
from archive_pipeline.retrieval.index.postgres import NO_INDEX
from archive_pipeline.retrieval.search.retrievers.base import EMPTY_RANKING, FilteredChunks, Ranking
from archive_pipeline.retrieval.search.rows import StoredVector
from archive_pipeline.settings import Settings
from archive_pipeline.store.embeddings import Chance, Generation, from_bytes
from archive_pipeline.store.reading import Sessions
from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.store.vector_indexes import IN_POSTGRESQL, VectorIndex, active_index


class SearchedVectors(Protocol):
    """The vectors of the index that is searched, in either store; the cosine of the angle is the score."""

    @property
    def generation(self) -> Generation:
        """Whose vectors."""

    @property
    def chance(self) -> Chance | None:
        """How near to something questions of made-up words come; None if nobody measured it."""

    @property
    def alignment_id(self) -> int | None:
        """Of the map that queries are read by; None without one."""

    def chunks(self, vector: Vectors, *, most: int) -> Ranking:
        """Return the nearest chunks."""

    def pages(self, vector: Vectors, *, most: int) -> Ranking:
        """Return the nearest pages, as ``<document>:<page>``."""

    def scores(self, vector: Vectors, content_hashes: Collection[str]) -> dict[str, float]:
        """Return the scores of some texts, by the hashes of those that have a vector."""


def searched_vectors(
    sessions: Sessions, settings: Settings, client: ChromaClient, held: HeldVectors
) -> SearchedVectors:
    """Return the vectors that are searched now.

    Args:
        sessions: on the archive; a statement has a connection of its own, so that no retriever waits for another.
        settings: which store is chosen.
        client: the store if that is Chroma.
        held: vectors in memory, if the store is PostgreSQL.

    Raises:
        VectorStoreError: there is no index yet, or the store cannot be used.
        MissingExtraError: it is Chroma, and chromadb is not installed.
    """
    with sessions.session() as connection:
        store = chosen_store(connection, settings).store
        index = active_index(connection, IN_POSTGRESQL)
    if store is VectorStore.CHROMA:
        found = client.index
        return _InChroma(sessions, client, found.generation, found.chance, found.alignment_id)
    if index is None:
        raise VectorStoreError(NO_INDEX)
    return _InPostgreSQL(sessions, index, held)


# The share of this rank, and of those below it, is 0: a fixed one, so that who asks for more gets no other order.
LAST_RANK: Final = 100


def with_shares(ranking: Ranking, chance: Chance | None) -> Ranking:
    """Return a ranking by meaning with the places of its cosines between the hundredth best and the best one.

    The best one has all of the share only if it is as near as one question of twenty that are made up: else what some
    pages have of the words would count less than what is near by chance.
    """
    if not ranking.scores:
        return EMPTY_RANKING
    best, least = ranking.scores[0], ranking.scores[:LAST_RANK][-1]
    spread = best - least
    highest = 1.0 if chance is None or chance.high <= 0 else min(1.0, max(0.0, best / chance.high))
    shares = [highest * max(0.0, (score - least) / spread) if spread > 0 else highest for score in ranking.scores]
    return Ranking(ranking.ids, ranking.scores, shares)


@dataclass(frozen=True)
class _InPostgreSQL:
    sessions: Sessions
    index: VectorIndex
    held: HeldVectors

    @property
    def generation(self) -> Generation:
        return self.index.generation

    @property
    def chance(self) -> Chance | None:
        return self.index.chance

    @property
    def alignment_id(self) -> int | None:
        return self.index.alignment_id

    def chunks(self, vector: Vectors, *, most: int) -> Ranking:
        with self.sessions.session() as connection:

            def candidates() -> Candidates | None:
                return self.held.candidates(connection, self.index, vector, most=most)

            return _ranking(nearest_chunks(connection, self.generation, vector, most=most, candidates=candidates))

    def pages(self, vector: Vectors, *, most: int) -> Ranking:
        with self.sessions.session() as connection:
            return _ranking(nearest_pages(connection, self.generation, vector, most=most))

    def scores(self, vector: Vectors, content_hashes: Collection[str]) -> dict[str, float]:
        with self.sessions.session() as connection:
            return scores_of_texts(connection, self.generation, vector, content_hashes)


@dataclass(frozen=True)
class _InChroma:
    sessions: Sessions
    client: ChromaClient
    generation: Generation
    chance: Chance | None
    alignment_id: int | None

    def chunks(self, vector: Vectors, *, most: int) -> Ranking:
        return nearest(self.client.text_collection, vector, most=most)

    def pages(self, vector: Vectors, *, most: int) -> Ranking:
        return nearest(self.client.visual_collection, vector, most=most)

    def scores(self, vector: Vectors, content_hashes: Collection[str]) -> dict[str, float]:
        with self.sessions.session() as connection:
            parameters = {"generation_id": self.generation.id, "content_hashes": sorted(content_hashes)}
            rows = fetch_rows(connection, "search/search_vectors", StoredVector, parameters)
        if not rows:
            return {}
        cosines = np.stack([from_bytes(row.vector) for row in rows]) @ vector
        return dict(zip((row.content_hash for row in rows), cosines.tolist(), strict=True))


def _ranking(scored: Sequence[tuple[str, float]]) -> Ranking:
    return Ranking([own for own, _ in scored], [score for _, score in scored])


def nearest(collection: ReadCollection, vector: Vectors, *, most: int) -> Ranking:
    """Return the entries of a collection whose vectors are nearest.

    Pages without a vector of their own are among them; nothing is shown of these. Chroma is asked for neither metadata
    nor a condition on it: with them it takes ten times as long, or four times.
    """
    most = min(most, collection.count())
    if most == 0:
        return EMPTY_RANKING
    found = collection.query(query_embeddings=[vector.tolist()], n_results=most, include=["distances"])
    return Ranking(found["ids"][0], [1 - float(distance) for distance in found["distances"][0]])


def find_nearest_allowed(vectors: SearchedVectors, vector: Vectors, allowed: FilteredChunks, *, most: int) -> Ranking:
    """Return the allowed chunks nearest to the vector, by comparing it with the vector of each of them."""
    score = vectors.scores(vector, set(allowed.content_hashes.values()))
    ids = [chunk for chunk, content_hash in allowed.content_hashes.items() if content_hash in score]
    ids.sort(key=lambda chunk: (-score[allowed.content_hashes[chunk]], chunk))
    return Ranking(ids[:most], [score[allowed.content_hashes[chunk]] for chunk in ids[:most]])


def page_of_entry(entry_id: str) -> tuple[str, int]:
    """Return document and page of an entry of the visual collection."""
    document, _, page = entry_id.rpartition(":")
    return document, int(page)


def pages_of(entry_ids: Sequence[str]) -> list[tuple[str, int]]:
    """Return document and page of entries of the visual collection."""
    return [page_of_entry(entry_id) for entry_id in entry_ids]
