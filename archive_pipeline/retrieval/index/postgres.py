"""The vector index in PostgreSQL: the rows that embedding writes, and a graph of neighbours where they are many.

Nothing is copied, so nothing is to be kept in step: a text is found by no search from the moment its chunks are gone,
and its vector goes with the next clean-up. Up to ``GRAPH_FROM`` vectors are compared one by one, which is exact; a
graph (HNSW) takes longer to make than that saves.
"""

from __future__ import annotations

import uuid
from typing import Any, Final, NamedTuple

import psycopg

from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.domain.progress import Progress
from archive_pipeline.errors import VectorStoreError
from archive_pipeline.retrieval.index.results import Comparison, SyncResult
from archive_pipeline.store import embeddings, vector_indexes
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Generation
from archive_pipeline.store.graph_memory import give_graph_memory
from archive_pipeline.store.rows import fetch_row, fetch_rows
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.vector_extension import (
    can_have_graph,
    create_graph,
    drop_graph,
    drop_other_graphs,
    has_graph,
)
from archive_pipeline.store.vector_indexes import IN_POSTGRESQL, TEXT, VectorIndex

# From so many vectors on the nearest are found by a graph (docs/performance.md has the measurement).
GRAPH_FROM: Final = 100_000
# Adding one to a graph takes as long as to fifty at once: when this share of the vectors is new, it is made anew.
_NEW_SHARE: Final = 0.1
SAMPLE: Final = 200
NO_INDEX: Final = "there is no index in the database yet; make it with `llm-archive index`"


class _Counts(NamedTuple):
    entries: int
    stale: int
    surplus: int


class _SampledVector(NamedTuple):
    content_hash: str
    is_whole: bool


def prepare_for(database: Database, generation: Generation, new: int) -> None:
    """Drop the graph of a generation that is about to get many new vectors; until it is made anew all are compared."""
    with database.session() as connection:
        if new > _NEW_SHARE * embeddings.count_vectors(connection, generation):
            drop_graph(connection, generation)


def discard_damaged(database: Database) -> int:
    """Delete the vectors that cannot be their model's, so that their texts are embedded again; return how many."""
    with database.session() as connection:
        return connection.execute(load_query("vector_index/discard_damaged")).rowcount


def sync_postgres(database: Database, generation: Generation, *, rebuild: bool, progress: Progress) -> SyncResult:
    """Make the vectors of a generation, which are there, the ones that are searched.

    The caller holds ``embed.only_indexer``.

    Args:
        database: the archive.
        generation: whose vectors.
        rebuild: make its graph anew.
        progress: told of a graph that is made as ``graph``.
    """
    with database.session() as connection:
        known = vector_indexes.indexes_at(connection, IN_POSTGRESQL)
        is_new = rebuild or not any(index.is_active and index.generation == generation for index in known)
        if rebuild:
            drop_graph(connection, generation)
        if _wants_graph(connection, generation):
            progress("graph", 0, 1)
            if database.is_local:
                give_graph_memory(connection, embeddings.count_vectors(connection, generation), generation.dimensions)
            create_graph(connection, generation)
            progress("graph", 1, 1)
        index = _publish(connection, generation, known) if is_new else known[0]
    return SyncResult(index, is_new, {}, {})


def _wants_graph(connection: psycopg.Connection[Any], generation: Generation) -> bool:
    return (
        can_have_graph(generation)
        and not has_graph(connection, generation)
        and embeddings.count_vectors(connection, generation) >= GRAPH_FROM
    )


def _publish(connection: psycopg.Connection[Any], generation: Generation, others: list[VectorIndex]) -> VectorIndex:
    """Make a new index the one that is searched, and purge the others, with the caller's commit."""
    index_id = str(uuid.uuid4())
    vector_indexes.add_index(connection, index_id, generation, IN_POSTGRESQL)
    for other in others:
        vector_indexes.purge_index(connection, other)
    vector_indexes.activate(connection, index_id, IN_POSTGRESQL)
    drop_other_graphs(connection, generation)
    return vector_indexes.indexes_at(connection, IN_POSTGRESQL)[0]


def purge_index(connection: psycopg.Connection[Any]) -> None:
    """Purge the index in PostgreSQL, in the caller's transaction: another store has taken its place."""
    for index in vector_indexes.indexes_at(connection, IN_POSTGRESQL):
        vector_indexes.purge_index(connection, index)
    drop_other_graphs(connection, None)


def compare_postgres(database: Database, *, seed: str) -> Comparison:
    """Compare the vectors with the chunks; ``seed`` chooses the sample.

    Raises:
        VectorStoreError: there is no index yet.
    """
    with database.session() as connection:
        index = vector_indexes.active_index(connection, IN_POSTGRESQL)
        if index is None:
            raise VectorStoreError(NO_INDEX)
        generation = index.generation
        parameters = {
            "generation_id": generation.id,
            "dimensions": generation.dimensions,
            "seed": seed,
            "number": SAMPLE,
        }
        found = fetch_row(connection, "vector_index/compare_vectors", _Counts, parameters) or _Counts(0, 0, 0)
        sample = fetch_rows(connection, "vector_index/sample_vectors", _SampledVector, parameters)
    return Comparison(
        VectorStore.POSTGRES.value,
        {TEXT: found.entries},
        {TEXT: found.stale},
        {TEXT: found.surplus},
        len(sample),
        [row.content_hash for row in sample if not row.is_whole],
    )
