"""Maps of queries that another model reads than the texts, as they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg

from archive_pipeline.store.embeddings import Generation, Vectors, from_bytes, to_bytes
from archive_pipeline.store.rows import fetch_row
from archive_pipeline.store.sql_files import load_query


@dataclass(frozen=True, slots=True)
class StoredAlignment:
    """A map of a generation.

    Attributes:
        id: another one for another map.
        query_model: what reads queries.
        vector_count: vectors of the generation when it was fitted.
        matrix: shape (dimensions of the query model + 1, dimensions of the generation).
    """

    id: int
    query_model: str
    vector_count: int
    matrix: Vectors


@dataclass(frozen=True, slots=True)
class _Row:
    id: int
    query_model: str
    vector_count: int
    matrix: bytes


def find_alignment(connection: psycopg.Connection[Any], generation: Generation) -> StoredAlignment | None:
    """Return the map of a generation, None without one."""
    row = fetch_row(connection, "embeddings/alignment_of_generation", _Row, {"generation_id": generation.id})
    if row is None:
        return None
    matrix = from_bytes(row.matrix).reshape(-1, generation.dimensions)
    return StoredAlignment(row.id, row.query_model, row.vector_count, matrix)


def set_alignment(
    connection: psycopg.Connection[Any], generation: Generation, query_model: str, vector_count: int, matrix: Vectors
) -> None:
    """Store the map of a generation in place of another one; what queries are near to by chance is not known then."""
    parameters = {
        "generation_id": generation.id,
        "query_model": query_model,
        "vector_count": vector_count,
        "matrix": to_bytes(np.ravel(matrix)),
    }
    connection.execute(load_query("embeddings/delete_alignment"), parameters)
    connection.execute(load_query("embeddings/add_alignment"), parameters)
    connection.execute(load_query("embeddings/forget_chance"), parameters)


def delete_alignment(connection: psycopg.Connection[Any], generation: Generation) -> None:
    """Delete the map of a generation, and with it what its queries are near to by chance."""
    parameters = {"generation_id": generation.id}
    connection.execute(load_query("embeddings/delete_alignment"), parameters)
    connection.execute(load_query("embeddings/forget_chance"), parameters)
