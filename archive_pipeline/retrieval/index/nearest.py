"""The vectors that are nearest to a query's, by PostgreSQL with pgvector."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import psycopg
from psycopg import sql

from archive_pipeline.retrieval.index.held_vectors import Candidates
from archive_pipeline.store.embeddings import Generation, Vectors
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.vector_extension import has_graph

# A graph is asked for at most a quarter of the neighbours it looks at, which are as many as pgvector allows: the more
# it looks at, the fewer are missed. Who wants more gets all compared.
_LOOKED_AT: Final = 1_000
_MOST_BY_GRAPH: Final = 250
# The pages of so many times as many texts as pages are wanted are compared.
_TEXTS_PER_PAGE: Final = 10

Scored = list[tuple[str, float]]


def nearest_chunks(
    connection: psycopg.Connection[Any],
    generation: Generation,
    vector: Vectors,
    *,
    most: int,
    candidates: Callable[[], Candidates | None] = lambda: None,
) -> Scored:
    """Return the ids of the nearest chunks and the cosines of the angles, best first; by a graph if there is one.

    Args:
        connection: on the archive.
        generation: whose vectors.
        vector: of the query.
        most: how many to return.
        candidates: returns texts among which the nearest are, asked where there is no graph; None if nobody knows any.
    """
    parameters = {"vector": as_text(vector), "generation_id": generation.id, "most": most}
    if most <= _MOST_BY_GRAPH and has_graph(connection, generation):
        connection.execute(load_query("vector_index/look_at_neighbours"), {"number": str(_LOOKED_AT)})
        query = sql.SQL(load_query("vector_index/nearest_chunks_by_graph")).format(
            dimensions=sql.Literal(generation.dimensions), generation_id=sql.Literal(generation.id)
        )
        return connection.execute(query, parameters).fetchall()
    among = candidates()
    found = None if among is None else _nearest_among(connection, parameters, among)
    if found is None:
        found = connection.execute(load_query("vector_index/nearest_chunks"), parameters).fetchall()
    return found


def _nearest_among(
    connection: psycopg.Connection[Any], parameters: Mapping[str, Any], among: Candidates
) -> Scored | None:
    """Return the nearest chunks of candidates; None if too many of these are gone to know that others are farther."""
    asked = {**parameters, "content_hashes": among.content_hashes}
    rows = connection.execute(load_query("vector_index/nearest_chunks_of_texts"), asked).fetchall()
    gone = len(among.content_hashes) - (rows[0][2] if rows else 0)
    return None if gone > among.most_gone else [(chunk, score) for chunk, score, _ in rows]


def nearest_pages(connection: psycopg.Connection[Any], generation: Generation, vector: Vectors, *, most: int) -> Scored:
    """Return the nearest pages as ``<document>:<page>``, and the cosines to the means of their chunks, best first.

    They are found among the pages of the nearest texts. A page none of whose texts is among these is not found, though
    the mean of its texts may be nearer than each of them.
    """
    parameters = {
        "vector": as_text(vector),
        "generation_id": generation.id,
        "most": most,
        "texts": most * _TEXTS_PER_PAGE,
    }
    return connection.execute(load_query("vector_index/nearest_pages"), parameters).fetchall()


def scores_of_texts(
    connection: psycopg.Connection[Any], generation: Generation, vector: Vectors, content_hashes: Collection[str]
) -> dict[str, float]:
    """Return the cosines to the vectors of some texts, by the hashes of those that have one."""
    parameters = {
        "vector": as_text(vector),
        "generation_id": generation.id,
        "content_hashes": list(content_hashes),
    }
    return dict(connection.execute(load_query("vector_index/scores_of_texts"), parameters).fetchall())


def as_text(vector: Vectors) -> str:
    """Return a vector as pgvector reads it."""
    return f"[{','.join(map(str, vector.tolist()))}]"
