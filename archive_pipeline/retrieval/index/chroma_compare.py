"""Comparing Chroma with the tables: numbers of entries, and ids, places and hashes of a sample."""

from __future__ import annotations

from typing import Final, NamedTuple

from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.errors import VectorStoreError
from archive_pipeline.retrieval.index.chroma import Chroma, location_of, open_chroma, translate_errors
from archive_pipeline.retrieval.index.chroma_indexes import active_in_chroma
from archive_pipeline.retrieval.index.results import Comparison
from archive_pipeline.settings import Settings
from archive_pipeline.store import vector_indexes
from archive_pipeline.store.database import Database
from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.store.vector_indexes import TEXT, VISUAL, VectorIndex

SAMPLE: Final = 200


class _SampledEntry(NamedTuple):
    entry_id: str
    doc_id: str
    page: int
    content_hash: str


def compare_chroma(database: Database, settings: Settings, *, seed: str) -> Comparison:
    """Compare; ``seed`` chooses the sample.

    Raises:
        VectorStoreError: there is no index yet, or the vector store cannot be used.
    """
    location = location_of(settings)
    with database.session() as connection:
        index = active_in_chroma(connection, settings)
    if index is None:
        raise VectorStoreError(f"there is no index in {location} yet; make it with `llm-archive index`")
    chroma = open_chroma(settings)
    entries, stale, surplus = {}, {}, {}
    for kind in (TEXT, VISUAL):
        with translate_errors(location):
            collection = chroma.find(index, kind)
            entries[kind] = 0 if collection is None else int(collection.count())
        with database.session() as connection:
            stale[kind] = vector_indexes.count_stale(connection, index, kind)
            stale[kind] += len(vector_indexes.gone_entries(connection, index, kind))
            surplus[kind] = entries[kind] - vector_indexes.count_indexed(connection, index, kind)
    sampled, differing = _sample(database, chroma, index, seed)
    return Comparison(VectorStore.CHROMA.value, entries, stale, surplus, sampled, differing)


def _sample(database: Database, chroma: Chroma, index: VectorIndex, seed: str) -> tuple[int, list[str]]:
    parameters = {"index_id": index.id, "seed": seed, "number": SAMPLE}
    with database.session() as connection:
        rows = fetch_rows(connection, "vector_index/sample_text_entries", _SampledEntry, parameters)
    wanted = {row.entry_id: (row.doc_id, row.page, row.content_hash) for row in rows}
    with translate_errors(chroma.location):
        collection = chroma.find(index, TEXT)
        found = (
            {"ids": [], "metadatas": []} if collection is None else collection.get(list(wanted), include=["metadatas"])
        )
    present = {
        entry_id: (metadata["doc_id"], metadata["page"], metadata["content_hash"])
        for entry_id, metadata in zip(found["ids"], found["metadatas"], strict=True)
    }
    return len(wanted), sorted(entry_id for entry_id, row in wanted.items() if present.get(entry_id) != row)
