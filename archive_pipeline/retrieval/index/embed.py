"""Embedding what has no vector yet: by the hash of its text, in batches that are committed one by one.

Many texts are embedded where ``ARCHIVE_EXECUTOR`` says; this process alone stores the vectors. An interrupted run goes
on where it stopped. Another model gets vectors of its own beside those of the present one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Final

from archive_pipeline.building.executors.executor import Executor
from archive_pipeline.building.executors.opening import executor_for
from archive_pipeline.domain.progress import Progress
from archive_pipeline.retrieval.embedders.interface import Embedder, check_dimensions
from archive_pipeline.retrieval.embedders.registry import version_in_workers
from archive_pipeline.retrieval.index.align import embedder_of_queries
from archive_pipeline.retrieval.index.chance import measure_chance
from archive_pipeline.retrieval.index.embedding_tasks import Embedded, EmbeddingTask, embed_texts
from archive_pipeline.retrieval.index.postgres import prepare_for
from archive_pipeline.settings import Settings
from archive_pipeline.store import embeddings, locks
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Generation, VectorForm
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.vector_extension import has_half_vectors

# A batch is one transaction, and what an interruption loses at most.
BATCH_TEXTS: Final = 1_024
# So many take one process as long as workers take to start (docs/scaling.md).
FEW_TEXTS: Final = 50_000


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


def embed_chunks(
    database: Database,
    settings: Settings,
    embedder: Embedder,
    form: VectorForm,
    *,
    executor: Executor | None = None,
    progress: Progress,
) -> EmbeddingResult:
    """Give every text of a chunk a vector of the model, purge those of texts that are gone, and prepare for queries.

    The caller holds ``only_indexer``.

    Args:
        database: the archive.
        settings: from which a worker opens the model, too.
        embedder: the model.
        form: in which vectors are stored; those that have the other one get it.
        executor: where many texts are embedded; by default one of the settings.
        progress: told of texts as ``embedding``, and of those that are read for queries as ``queries``.

    Raises:
        EmbeddingError: the model does not answer, or its vectors have another size than the stored ones.
    """
    generation = _generation(database, embedder)
    _change_form(database, generation, form)
    with database.session() as connection:
        total = embeddings.count_texts_to_embed(connection, generation)
    if form is VectorForm.HALVES:
        prepare_for(database, generation, total)
    done, cut_texts = 0, 0
    progress("embedding", done, total)
    with closing(_embedded(database, settings, embedder, generation, total, executor)) as results:
        for embedded in results:
            _store(database, embedder, generation, form, embedded)
            done += len(embedded.content_hashes)
            cut_texts += embedded.cut_texts
            progress("embedding", done, max(total, done))
    with database.session() as connection:
        deleted = embeddings.delete_unused(connection, generation)
    of_queries = embedder_of_queries(database, settings, embedder, generation, progress=progress)
    measure_chance(database, of_queries, generation, form)
    return EmbeddingResult(generation, done, deleted, cut_texts)


def _embedded(
    database: Database,
    settings: Settings,
    embedder: Embedder,
    generation: Generation,
    total: int,
    executor: Executor | None,
) -> Generator[Embedded]:
    """Yield what is embedded, batch by batch: by an executor if it is much, and here what is left."""
    version = version_in_workers(embedder.name)
    if version is not None and total >= FEW_TEXTS:
        yield from _embedded_by_executor(database, settings, version, generation, executor)
    yield from _embedded_here(database, embedder, generation)


def _embedded_by_executor(
    database: Database, settings: Settings, version: str, generation: Generation, given: Executor | None
) -> Generator[Embedded]:
    with database.session() as connection:
        ranges = embeddings.ranges_to_embed(connection, generation, number=BATCH_TEXTS)
    tasks = [EmbeddingTask(version, settings, generation, (each,)) for each in ranges]
    with executor_for(database, settings, given) as executor, closing(executor.map_batches(tasks)) as results:
        for _, embedded in results:
            if embedded.content_hashes:  # some dialogues may have been deleted since
                yield embedded


def _embedded_here(database: Database, embedder: Embedder, generation: Generation) -> Generator[Embedded]:
    after = ""
    while True:
        with database.session() as connection:
            texts = embeddings.texts_to_embed(connection, generation, after=after, number=BATCH_TEXTS)
        if not texts:
            return
        yield embed_texts(embedder, texts)
        after = texts[-1].content_hash


def _store(
    database: Database, embedder: Embedder, generation: Generation, form: VectorForm, embedded: Embedded
) -> None:
    check_dimensions(embedder.name, embedded.vectors, generation.dimensions)
    with database.session() as connection:
        embeddings.add_vectors(connection, generation, embedded.content_hashes, embedded.vectors, form)


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
