"""Vectors that a process with many searches holds in memory, so that a search does not read all of them again.

They only choose: which texts may be among the nearest. PostgreSQL compares these and gives scores and order, so that
results are those of comparing everything there, and a text that was deleted is found no more. What was added since is
noticed by ``VectorIndex.changed_at``, which changes with the transaction that adds or deletes vectors.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import psycopg

from archive_pipeline.store import embeddings
from archive_pipeline.store.embeddings import Generation, VectorForm, Vectors, stored_vectors
from archive_pipeline.store.vector_indexes import IN_POSTGRESQL, VectorIndex, active_index

# Reading the vectors takes as long as some twenty searches: a command or a state that soon changes never does it.
SEARCHES_BEFORE: Final = 10
# 32-bit floats: 100,000 vectors of 256 dimensions, from where on a graph of neighbours is searched, are 102 MB.
MOST_BYTES: Final = 1 << 27
_READ_AT_ONCE: Final = 4_096
# Cosines of 32-bit floats here and in pgvector differ by less, whatever the order of their sums.
_WIDTH: Final = 1e-4
# Of so many texts as this times what is asked for, all equally near, PostgreSQL makes its own choice.
_MOST_CANDIDATES: Final = 4
_FARTHER_THAN_ALL: Final = -2.0


@dataclass(frozen=True, slots=True)
class Candidates:
    """Texts among which the nearest are.

    Attributes:
        content_hashes: of the texts.
        most_gone: so many of them may be gone, and the nearest are still among the others.
    """

    content_hashes: Sequence[str]
    most_gone: int


@dataclass(frozen=True, slots=True)
class _Held:
    """The vectors of one state of an index.

    Attributes:
        content_hashes: of the texts.
        directions: a row of length 1 for each hash.
        without: rows of vectors without a direction, which are near to nothing.
    """

    content_hashes: Sequence[str]
    directions: Vectors
    without: Sequence[int]

    def candidates(self, vector: Vectors, most: int) -> Candidates | None:
        """Return the texts among which the nearest are; None if the vector does not tell them apart."""
        asked = vector.astype(np.float16).astype(np.float32)  # as PostgreSQL gets it
        length = float(np.linalg.norm(asked))
        if not length > 0:
            return None
        spare = max(1, most // 4)
        if len(self.content_hashes) <= most + spare:
            return None
        # As fast as `@`, whose library keeps another core busy for milliseconds after each product.
        cosines: Vectors = np.einsum("ij,j->i", self.directions, asked / np.float32(length))
        cosines[self.without] = _FARTHER_THAN_ALL
        least = np.partition(cosines, -(most + spare))[-(most + spare)]
        near = np.flatnonzero(cosines >= least - _WIDTH)
        if len(near) > _MOST_CANDIDATES * (most + spare):
            return None
        return Candidates([self.content_hashes[at] for at in near.tolist()], spare)


@dataclass
class HeldVectors:
    """Holds the vectors of the index in PostgreSQL that is searched. Several threads may use it.

    Attributes:
        searches_before: so many searches of one state come before its vectors are read.
        most_bytes: vectors that take more are not held.
    """

    searches_before: int = SEARCHES_BEFORE
    most_bytes: int = MOST_BYTES
    # Of one state of the index, each in one piece, since threads read them without the lock: the vectors, None if they
    # cannot be held, and how often it was searched.
    _held: tuple[VectorIndex, _Held | None] | None = field(default=None, init=False, repr=False)
    _searched: tuple[VectorIndex, int] | None = field(default=None, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def candidates(
        self, connection: psycopg.Connection[Any], index: VectorIndex, vector: Vectors, *, most: int
    ) -> Candidates | None:
        """Return texts among which the nearest are, None if PostgreSQL has to compare all.

        Args:
            connection: on the archive, to read the vectors once.
            index: as it is now.
            vector: of the query.
            most: how many texts are wanted.
        """
        state = self._held
        if state is None or state[0] != index:
            if not self._is_worth_reading(index) or not self._lock.acquire(blocking=False):
                return None
            try:
                state = self._held = index, _read(connection, index, self.most_bytes)
            finally:
                self._lock.release()
        held = state[1]
        return None if held is None else held.candidates(vector, most)

    def _is_worth_reading(self, index: VectorIndex) -> bool:
        before = self._searched
        searches = before[1] + 1 if before is not None and before[0] == index else 1
        self._searched = index, searches
        return searches > self.searches_before


def _read(connection: psycopg.Connection[Any], index: VectorIndex, most_bytes: int) -> _Held | None:
    """Read the vectors; None if they are too many, or others by the time they are read."""
    number = embeddings.count_vectors(connection, index.generation)
    if number * index.generation.dimensions * np.dtype(np.float32).itemsize > most_bytes:
        return None
    hashes, directions = _read_all(connection, index.generation, number)
    if len(hashes) != number or active_index(connection, IN_POSTGRESQL) != index:
        return None
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    np.divide(directions, lengths, out=directions, where=lengths > 0)
    return _Held(hashes, directions, np.flatnonzero(lengths == 0).tolist())


def _read_all(connection: psycopg.Connection[Any], generation: Generation, number: int) -> tuple[list[str], Vectors]:
    """Return the hashes of a generation's texts and their vectors, of as many as there are at most."""
    hashes: list[str] = []
    vectors = np.zeros((number, generation.dimensions), dtype=np.float32)
    while len(hashes) < number:
        after = hashes[-1] if hashes else ""
        read = stored_vectors(
            connection, generation, VectorForm.HALVES, after=after, number=min(_READ_AT_ONCE, number - len(hashes))
        )
        if not read.content_hashes or read.vectors.shape[1] != generation.dimensions:
            break
        vectors[len(hashes) : len(hashes) + len(read.content_hashes)] = read.vectors
        hashes += read.content_hashes
    return hashes, vectors
