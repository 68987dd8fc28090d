"""Vectors in PostgreSQL: generations of them, which texts have none yet, adding and removing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import psycopg

from archive_pipeline.store.rows import fetch_column, fetch_value
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.vector_copy import copy_vectors

Vectors = npt.NDArray[np.float32]
_STORED: Final = np.dtype("<f4")
_HALVES: Final = np.dtype(">f2")
_HALVES_HEAD: Final = 4
# Vectors of another form that are changed in one transaction.
_CHANGED_AT_ONCE: Final = 4_096


class VectorForm(StrEnum):
    """How vectors are stored: what the vector index needs, and nothing twice.

    ``FLOATS`` are 32 bits wide and for Chroma, ``HALVES`` are 16 bits wide and searched by pgvector.
    """

    FLOATS = "vector"
    HALVES = "half_vector"


@dataclass(frozen=True, slots=True)
class Generation:
    """The vectors of one model."""

    id: int
    model: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Chance:
    """How near to something questions of made-up words come in a generation: cosines with the nearest text.

    Attributes:
        vector_count: vectors when it was measured.
        usual: what half of the questions reach.
        high: what one question of twenty reaches.
        highest_of_few: the highest of the questions of one or two words, which vary most.
    """

    vector_count: int
    usual: float
    high: float
    highest_of_few: float


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """Some vectors as they are stored: a row of ``vectors`` for each hash."""

    content_hashes: Sequence[str]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class HashedText:
    """A text that has no vector yet, and its hash."""

    content_hash: str
    text: str


@dataclass(frozen=True, slots=True)
class HashRange:
    """Hashes after one up to another one, and how many of their texts had no vector when that was asked."""

    after: str
    until: str
    texts: int


def find_generation(connection: psycopg.Connection[Any], model: str) -> Generation | None:
    """Return the generation of a model, None if it has none."""
    row = connection.execute(load_query("embeddings/embedding_generation"), {"model": model}).fetchone()
    return None if row is None else Generation(row[0], model, row[1])


def add_generation(connection: psycopg.Connection[Any], model: str, dimensions: int) -> Generation:
    """Add the generation of a model."""
    row = connection.execute(
        load_query("embeddings/add_embedding_generation"), {"model": model, "dimensions": dimensions}
    ).fetchone()
    if row is None:
        raise RuntimeError("INSERT … RETURNING gave no row")
    return Generation(row[0], model, dimensions)


def count_texts_to_embed(connection: psycopg.Connection[Any], generation: Generation | None) -> int:
    """Return how many different texts have no vector; all, if there is no generation yet."""
    wanted = {"generation_id": None if generation is None else generation.id}
    return fetch_value(connection, "embeddings/count_texts_to_embed", int, wanted) or 0


def count_vectors(connection: psycopg.Connection[Any], generation: Generation) -> int:
    """Return how many vectors a generation has."""
    return fetch_value(connection, "embeddings/count_vectors", int, {"generation_id": generation.id}) or 0


def texts_to_embed(
    connection: psycopg.Connection[Any], generation: Generation, *, after: str, number: int
) -> list[HashedText]:
    """Return the next texts without a vector in the order of their hashes."""
    parameters = {"generation_id": generation.id, "after": after, "number": number}
    rows = connection.execute(load_query("embeddings/texts_to_embed"), parameters).fetchall()
    return [HashedText(*row) for row in rows]


def first_texts(connection: psycopg.Connection[Any], *, number: int, characters: int) -> list[str]:
    """Return the beginnings of the first texts in the order of their hashes."""
    parameters = {"number": number, "characters": characters}
    return fetch_column(connection, "embeddings/first_texts", str, parameters)


def ranges_to_embed(connection: psycopg.Connection[Any], generation: Generation, *, number: int) -> list[HashRange]:
    """Return all texts without a vector as ranges of their hashes, each of ``number`` texts, the last one of fewer."""
    parameters = {"generation_id": generation.id, "number": number}
    rows = connection.execute(load_query("embeddings/ranges_to_embed"), parameters).fetchall()
    return [HashRange(after, *row) for after, row in zip(["", *(until for until, _ in rows)], rows, strict=False)]


def texts_of_range(connection: psycopg.Connection[Any], generation: Generation, hashes: HashRange) -> list[HashedText]:
    """Return the texts of a range without a vector in the order of their hashes: those that were built since, too."""
    parameters = {"generation_id": generation.id, "after": hashes.after, "until": hashes.until}
    rows = connection.execute(load_query("embeddings/texts_of_range"), parameters).fetchall()
    return [HashedText(*row) for row in rows]


def add_vectors(
    connection: psycopg.Connection[Any],
    generation: Generation,
    hashes: Sequence[str],
    vectors: Vectors,
    form: VectorForm,
) -> None:
    """Store the vectors of texts that had none: a row of ``vectors`` for each hash."""
    copy_vectors(connection, generation.id, hashes, vectors, is_half=form is VectorForm.HALVES)
    _touch_indexes(connection, generation)


def change_form(connection: psycopg.Connection[Any], generation: Generation, form: VectorForm) -> int:
    """Store the next vectors of a generation that have the other form in this one; return how many there were.

    Halves have three significant digits, so vectors that became halves and floats again differ from the model's in the
    fourth one.
    """
    other = VectorForm.FLOATS if form is VectorForm.HALVES else VectorForm.HALVES
    stored = stored_vectors(connection, generation, other, after="", number=_CHANGED_AT_ONCE)
    hashes = stored.content_hashes
    if not hashes:
        return 0
    connection.execute(
        load_query("embeddings/delete_embeddings"), {"generation_id": generation.id, "content_hashes": hashes}
    )
    add_vectors(connection, generation, hashes, stored.vectors, form)
    return len(hashes)


def stored_vectors(
    connection: psycopg.Connection[Any], generation: Generation, form: VectorForm, *, after: str, number: int
) -> StoredVectors:
    """Return the next vectors of a generation that have a form, in the order of their hashes."""
    is_half = form is VectorForm.HALVES
    query = load_query("embeddings/half_vectors" if is_half else "embeddings/float_vectors")
    parameters = {"generation_id": generation.id, "after": after, "number": number}
    rows = connection.execute(query, parameters, binary=True).fetchall()
    found = [_from_halves(row[1]) if is_half else from_bytes(row[1]) for row in rows]
    vectors = np.stack(found) if found else np.zeros((0, generation.dimensions), dtype=np.float32)
    return StoredVectors([row[0] for row in rows], vectors)


def find_chance(connection: psycopg.Connection[Any], generation: Generation) -> Chance | None:
    """Return what a generation is near to by chance; None if nobody measured it."""
    parameters = {"generation_id": generation.id}
    row = connection.execute(load_query("embeddings/chance_of_generation"), parameters).fetchone()
    return None if row is None else chance_of(*row)


def chance_of(count: int | None, usual: float | None, high: float | None, highest: float | None) -> Chance | None:
    """Return what the columns of a generation say; None before it was measured."""
    if count is None or usual is None or high is None or highest is None:
        return None
    return Chance(count, usual, high, highest)


def set_chance(connection: psycopg.Connection[Any], generation: Generation, chance: Chance) -> None:
    """Store what a generation is near to by chance."""
    connection.execute(load_query("embeddings/set_chance"), {"generation_id": generation.id, **asdict(chance)})


def delete_unused(connection: psycopg.Connection[Any], generation: Generation) -> int:
    """Delete the vectors of texts that no chunk has any more; return how many."""
    deleted = connection.execute(
        load_query("embeddings/delete_unused_embeddings"), {"generation_id": generation.id}
    ).rowcount
    if deleted:
        _touch_indexes(connection, generation)
    return deleted


def _touch_indexes(connection: psycopg.Connection[Any], generation: Generation) -> None:
    """Say that the vectors are others, with the caller's commit: searches may hold those of before in memory."""
    connection.execute(load_query("embeddings/touch_indexes"), {"generation_id": generation.id})


def delete_unused_of_all(connection: psycopg.Connection[Any]) -> None:
    """Delete the vectors of texts that no chunk has any more, whichever model made them."""
    for row in connection.execute(load_query("embeddings/embedding_generations")).fetchall():
        delete_unused(connection, Generation(*row))


def to_bytes(vector: Vectors) -> bytes:
    """Return a vector as it is stored."""
    return vector.astype(_STORED).tobytes()


def from_bytes(stored: bytes) -> Vectors:
    """Return a stored vector."""
    return np.frombuffer(stored, dtype=_STORED).astype(np.float32)


def _from_halves(sent: bytes) -> Vectors:
    return np.frombuffer(sent, dtype=_HALVES, offset=_HALVES_HEAD).astype(np.float32)
