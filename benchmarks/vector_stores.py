"""Stores of the vector index, side by side in one run: PostgreSQL (exact and by a graph) and Chroma (whole and slim).

    python -m benchmarks.vector_stores [--chunks 20000] [--queries 100]

Makes an archive of synthetic dialogues with about so many chunks in a temporary folder, embeds them once with the model
``static``, and has every store hold the same vectors. Prints per store: entries written in a second, the best and the
median query for 100 chunks and what 95 % stay below, the same with a filter (a tenth of the dialogues) and for 2,000
chunks, recall of the first 10 and 100 against exact comparison of 32-bit vectors, entries deleted in a second, bytes on
disk.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import psycopg

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.optional import import_optional
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.retrieval.embedders.interface import Vectors
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.index.embed import embed_chunks
from archive_pipeline.retrieval.index.nearest import nearest_chunks
from archive_pipeline.settings import Settings
from archive_pipeline.store import embeddings
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Generation, VectorForm
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline.store.vector_extension import create_graph, drop_graph
from benchmarks.corpus import write_corpus

CHUNKS_PER_DIALOGUE: Final = 28
FIRST: Final = 100
MANY: Final = 2_000
QUERY_WORDS: Final = 12
BATCH: Final = 2_000
DELETED: Final = 1_000

Find = Callable[[Vectors, int], list[str]]
FindFiltered = Callable[[Vectors, list[str]], list[str]]


@dataclass(frozen=True)
class Chunks:
    """What every store is to hold: ids, hashes of texts, texts, dialogues and vectors, in the order of the ids."""

    ids: list[str]
    hashes: list[str]
    texts: list[str]
    documents: list[str]
    vectors: Vectors


@dataclass(frozen=True)
class Measured:
    """A store that is filled.

    Attributes:
        name: of the store.
        seconds: that filling it took.
        find: the nearest chunks.
        find_filtered: those in some dialogues.
        delete: deletes chunks by their ids.
        size: bytes on disk.
    """

    name: str
    seconds: float
    find: Find
    find_filtered: FindFiltered
    delete: Callable[[list[str]], None]
    size: Callable[[], int]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stores-bench-", dir="/tmp") as folder:
        settings = Settings(home=Path(folder) / "home")
        try:
            database = Database.open(settings)
            dialogues = max(1, arguments.chunks // CHUNKS_PER_DIALOGUE)
            generation, chunks = _archive(database, settings, Path(folder) / "export.json", dialogues, arguments.seed)
            queries = _queries(settings, chunks, arguments.queries)
            print(f"{len(chunks.ids):,} chunks, {generation.dimensions} dimensions, {len(queries)} queries")
            with _stores(database, settings, generation, chunks) as stores:
                for store in stores:
                    _report(store, chunks, queries)
            database.engine.dispose()
        finally:
            release(settings.postgres_folder)


def _archive(
    database: Database, settings: Settings, path: Path, dialogues: int, seed: int
) -> tuple[Generation, Chunks]:
    write_corpus(path, dialogues=dialogues, seed=seed)
    migrate(database)
    import_archive(database, read_paths([path]))
    build_stale(database, settings)
    embedder = open_embedder(settings)
    generation = embed_chunks(database, settings, embedder, VectorForm.FLOATS, progress=lambda *_: None).generation
    with database.session() as connection:
        rows = connection.execute(
            "SELECT chunk_id::text, content_hash, text, dialogue_id::text, vector FROM derived.qa_chunks "
            "JOIN derived.chunk_embeddings USING (content_hash) WHERE NOT is_near_duplicate ORDER BY 1",
            binary=True,
        ).fetchall()
    columns: Any = list(zip(*rows, strict=True))
    vectors = np.stack([embeddings.from_bytes(vector) for vector in columns[4]])
    ids, hashes, texts, documents = map(list, columns[:4])
    return generation, Chunks(ids, hashes, texts, documents, vectors)


def _queries(settings: Settings, chunks: Chunks, number: int) -> list[Vectors]:
    embedder = open_embedder(settings)
    step = max(1, len(chunks.texts) // number)
    return [embedder.embed_query(" ".join(text.split()[:QUERY_WORDS])) for text in chunks.texts[::step][:number]]


@contextmanager
def _stores(
    database: Database, settings: Settings, generation: Generation, chunks: Chunks
) -> Iterator[Iterator[Measured]]:
    """Yield the stores, each filled when its turn comes."""
    with psycopg.connect(database.url, autocommit=True) as connection:
        yield _filled(connection, settings, generation, chunks)


def _filled(
    connection: psycopg.Connection[Any], settings: Settings, generation: Generation, chunks: Chunks
) -> Iterator[Measured]:
    yield _chroma(settings.with_values(home=settings.home / "whole"), chunks, is_slim=False)
    yield _chroma(settings.with_values(home=settings.home / "slim"), chunks, is_slim=True)
    yield _postgres(connection, generation, chunks, has_graph=False)
    yield _postgres(connection, generation, chunks, has_graph=True)


def _chroma(settings: Settings, chunks: Chunks, *, is_slim: bool) -> Measured:
    """Fill a collection as the pipeline does; a slim one has neither texts nor any metadata but the document."""
    chromadb = import_optional("chromadb", extra="search", purpose="the benchmark")
    folder = settings.chroma_folder
    client = chromadb.PersistentClient(str(folder), settings=chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection("text", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None)
    started = time.perf_counter()
    for at in range(0, len(chunks.ids), BATCH):
        part = slice(at, at + BATCH)
        documents = {} if is_slim else {"documents": chunks.texts[part]}
        metadata = [_metadata(chunks, row, is_slim=is_slim) for row in range(at, min(at + BATCH, len(chunks.ids)))]
        collection.upsert(ids=chunks.ids[part], embeddings=chunks.vectors[part], metadatas=metadata, **documents)
    seconds = time.perf_counter() - started

    def find(vector: Vectors, most: int) -> list[str]:
        found = collection.query(query_embeddings=[vector.tolist()], n_results=most, include=["distances"])
        return list(found["ids"][0])

    def find_filtered(vector: Vectors, documents: list[str]) -> list[str]:
        where = {"doc_id": {"$in": documents}}
        found = collection.query(
            query_embeddings=[vector.tolist()], n_results=FIRST, where=where, include=["distances"]
        )
        return list(found["ids"][0])

    return Measured(
        f"Chroma, {'ids and documents only' if is_slim else 'texts and all metadata'}",
        seconds,
        find,
        find_filtered,
        lambda ids: collection.delete(ids=ids),
        lambda: sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
    )


def _metadata(chunks: Chunks, row: int, *, is_slim: bool) -> dict[str, Any]:
    document = {"doc_id": chunks.documents[row], "page": 1}
    if is_slim:
        return document
    title = f"Dialogue {chunks.documents[row]}"
    places = dict.fromkeys(("image_path", "thumb_path"), "")
    named = dict.fromkeys(("filename", "section_path", "parent_heading"), title)
    return {
        **document,
        **places,
        **named,
        "extension": "md",
        "timestamp": "2024-01-01T00:00:00+00:00",
        "source_path": f"chatgpt/chatgpt-{chunks.documents[row]}",
        "source": "chatgpt",
        "pair_id": f"{chunks.documents[row]}:{row}",
        "side": "answer",
        "chunk_index": 0,
        "start_offset": 0,
        "end_offset": len(chunks.texts[row]),
        "content_hash": chunks.hashes[row],
    }


def _postgres(
    connection: psycopg.Connection[Any], generation: Generation, chunks: Chunks, *, has_graph: bool
) -> Measured:
    """Fill the archive's own table of vectors."""
    drop_graph(connection, generation)
    connection.execute("TRUNCATE derived.chunk_embeddings")
    first = dict(zip(chunks.hashes, chunks.vectors, strict=True))
    hashes, vectors = list(first), np.stack(list(first.values()))
    started = time.perf_counter()
    for at in range(0, len(hashes), BATCH):
        part = slice(at, at + BATCH)
        embeddings.add_vectors(connection, generation, hashes[part], vectors[part], VectorForm.HALVES)
    if has_graph:
        create_graph(connection, generation)
    seconds = time.perf_counter() - started
    connection.execute("VACUUM ANALYZE derived.chunk_embeddings")
    hash_of = dict(zip(chunks.ids, chunks.hashes, strict=True))

    def find(vector: Vectors, most: int) -> list[str]:
        with connection.transaction():
            return [chunk for chunk, _ in nearest_chunks(connection, generation, vector, most=most)]

    def find_filtered(vector: Vectors, documents: list[str]) -> list[str]:
        rows = connection.execute(
            "SELECT chunk_id::text FROM derived.qa_chunks JOIN derived.chunk_embeddings USING (content_hash) "
            "WHERE dialogue_id = ANY(%s::uuid[]) AND NOT is_near_duplicate "
            "ORDER BY half_vector <=> %s::halfvec LIMIT %s",
            [documents, f"[{','.join(map(str, vector.tolist()))}]", FIRST],
        )
        return [chunk for (chunk,) in rows]

    def delete(ids: list[str]) -> None:
        connection.execute(
            "DELETE FROM derived.chunk_embeddings WHERE content_hash = ANY(%s)", [[hash_of[own] for own in ids]]
        )

    def size() -> int:
        row = connection.execute("SELECT pg_total_relation_size('derived.chunk_embeddings')").fetchone()
        return 0 if row is None else int(row[0])

    return Measured(
        f"PostgreSQL, {'a graph of neighbours' if has_graph else 'all compared'}",
        seconds,
        find,
        find_filtered,
        delete,
        size,
    )


def _report(store: Measured, chunks: Chunks, queries: Sequence[Vectors]) -> None:
    documents = sorted(set(chunks.documents))[::10]
    exactly = [np.argsort(-(chunks.vectors @ query), kind="stable")[:FIRST] for query in queries]
    for query in queries[:5]:
        store.find(query, FIRST)
    found = [store.find(query, FIRST) for query in queries]
    size = store.size()
    print(f"\n{store.name}")
    print(f"  written               {len(chunks.ids) / store.seconds:,.0f}/s, {store.seconds:.1f} s")
    _times("100 nearest", lambda query: store.find(query, FIRST), queries)
    _times("2,000 nearest", lambda query: store.find(query, MANY), queries)
    _times("100, filtered", lambda query: store.find_filtered(query, documents), queries)
    recalls = [f"{_recall(chunks, found, exactly, number):.3f} at {number}" for number in (10, FIRST)]
    print(f"  recall                {', '.join(recalls)}")
    started = time.perf_counter()
    gone = chunks.ids[:DELETED]
    store.delete(gone)
    print(f"  deleted               {len(gone) / (time.perf_counter() - started):,.0f}/s")
    print(f"  on disk               {size / 1e6:.1f} MB", flush=True)


def _recall(chunks: Chunks, found: Sequence[list[str]], exactly: Sequence[Any], number: int) -> float:
    """Return the share of the right scores among the first: of equal texts either is right."""
    texts = dict(zip(chunks.ids, chunks.hashes, strict=True))
    shares = []
    for own, right in zip(found, exactly, strict=True):
        wanted = {chunks.hashes[row] for row in right[:number]}
        shares.append(len(wanted & {texts[chunk] for chunk in own[:number]}) / len(wanted))
    return statistics.mean(shares)


def _times(name: str, call: Callable[[Vectors], object], queries: Sequence[Vectors]) -> None:
    seconds = []
    for query in queries:
        started = time.perf_counter()
        call(query)
        seconds.append(time.perf_counter() - started)
    below = statistics.quantiles(seconds, n=20)[-1]
    figures = [("best", min(seconds)), ("median", statistics.median(seconds)), ("95 % below", below)]
    print(f"  {name:<22}{', '.join(f'{what} {figure * 1e3:.1f} ms' for what, figure in figures)}")


if __name__ == "__main__":
    main()
