"""Embedding what has no vector yet: by the hash of its text, in batches that are committed one by one.

An interrupted run goes on where it stopped. Another model gets vectors of its own beside those of the present one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from archive_pipeline.domain.progress import Progress
from archive_pipeline.errors import EmbeddingError
from archive_pipeline.retrieval.embedders.interface import Embedder
from archive_pipeline.retrieval.index.chance import measure_chance
from archive_pipeline.retrieval.index.postgres import prepare_for
from archive_pipeline.store import embeddings, locks
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Generation, VectorForm
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.vector_extension import has_half_vectors

# A batch is one transaction, and what an interruption loses at most.
BATCH_TEXTS: Final = 1_024


@dataclass(frozen=True, slots=True)
class EmbeddingResult:
    """What embedding did.

    Attributes:
        generation: whose vectors.
        embedded: texts that got a vector.
        deleted: vectors that nothing needed any more.
        cut_texts: texts of which the model read only the beginning.
    """

    generation: Generation
    embedded: int
    deleted: int
    cut_texts: int


def embed_chunks(database: Database, embedder: Embedder, form: VectorForm, *, progress: Progress) -> EmbeddingResult:
    """Give every text of a chunk a vector of the model, purge those of texts that are gone, and measure chance.

    The caller holds ``only_indexer``.

    Args:
        database: the archive.
        embedder: the model.
        form: in which vectors are stored; those that have the other one get it.
        progress: told of texts as ``embedding``.

    Raises:
        EmbeddingError: the model does not answer, or its vectors have another size than the stored ones.
    """
    generation = _generation(database, embedder)
    _change_form(database, generation, form)
    with database.session() as connection:
        total = embeddings.count_texts_to_embed(connection, generation)
    if form is VectorForm.HALVES:
        prepare_for(database, generation, total)
    cut_before, done, after = embedder.cut_texts, 0, ""
    progress("embedding", done, total)
    while True:
        with database.session() as connection:
            texts = embeddings.texts_to_embed(connection, generation, after=after, number=BATCH_TEXTS)
        if not texts:
            break
        vectors = embedder.embed([text.text for text in texts])
        if vectors.shape[1] != generation.dimensions:
            raise EmbeddingError(
                f"{embedder.name} gives vectors of {vectors.shape[1]} dimensions, the stored ones have "
                f"{generation.dimensions}: it is another model now; delete its row in derived.embedding_generations"
            )
        with database.session() as connection:
            embeddings.add_vectors(connection, generation, [text.content_hash for text in texts], vectors, form)
        after = texts[-1].content_hash
        done += len(texts)
        progress("embedding", done, max(total, done))
    with database.session() as connection:
        deleted = embeddings.delete_unused(connection, generation)
    measure_chance(database, embedder, generation, form)
    return EmbeddingResult(generation, done, deleted, embedder.cut_texts - cut_before)


def _change_form(database: Database, generation: Generation, form: VectorForm) -> None:
    """Give the vectors of another store this store's form, batch by batch, and return the room of the former ones."""
    with database.session() as connection:
        if form is VectorForm.FLOATS and not has_half_vectors(connection):
            return
        changed = embeddings.change_form(connection, generation, form)
    if not changed:
        return
    while changed:
        with database.session() as connection:
            changed = embeddings.change_form(connection, generation, form)
    with database.statements() as connection:
        connection.execute(load_query("embeddings/vacuum_embeddings"))


def _generation(database: Database, embedder: Embedder) -> Generation:
    with database.session() as connection:
        found = embeddings.find_generation(connection, embedder.name)
    if found is not None:
        return found
    dimensions = embedder.dimensions  # may take a request
    with database.session() as connection:
        return embeddings.add_generation(connection, embedder.name, dimensions)


@contextmanager
def only_indexer(database: Database, on_wait: Callable[[str], None] = locks.silent) -> Iterator[None]:
    """Hold the lock of embedding and indexing in this database; wait for another process, after ``on_wait``."""
    with locks.held(database, locks.INDEXER, on_wait):
        yield
