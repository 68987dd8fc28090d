"""A model of a few dimensions, and what an index of its vectors finds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from archive_pipeline.retrieval.embedders.interface import Vectors
from archive_pipeline.retrieval.index.choice import searched_index
from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.retrieval.index.held_vectors import HeldVectors
from archive_pipeline.retrieval.search.retrievers.dense import searched_vectors
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.vector_indexes import VectorIndex


class Letters:
    """Which letters a text has."""

    cut_texts = 0

    def __init__(self, name: str = "letters", dimensions: int = 3) -> None:
        self.name = name
        self.dimensions = dimensions
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        return self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        counts = [[1 + text.count(letter) for letter in "aeoi"[: self.dimensions]] for text in texts]
        vectors = np.array(counts, dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed_query(self, text: str) -> Vectors:
        return self.embed_queries([text])[0]


def searched(database: Database, home: Settings) -> VectorIndex:
    """The index that searches ask."""
    with database.session() as connection:
        index = searched_index(connection, home)
    assert index is not None
    return index


def nearest_ids(database: Database, home: Settings, text: str = "anything", most: int = 1_000) -> list[str]:
    """Chunks as a search finds them."""
    vectors = searched_vectors(database, home, ChromaClient(database, home), HeldVectors())
    model = Letters(dimensions=vectors.generation.dimensions)
    return list(vectors.chunks(model.embed_query(text), most=most).ids)
