"""``llm-archive index``: vectors of chunks, and the vector index that search asks."""

from __future__ import annotations

from typing import Any

from archive_pipeline.building.documents import build_document_chunks, failed_documents
from archive_pipeline.building.engine import BuildResult
from archive_pipeline.cli.archive import OpenArchive, open_archive
from archive_pipeline.cli.output import EXIT_REJECTED, count_table, fail, note, print_json, stdout_console
from archive_pipeline.cli.progress import progress_bars
from archive_pipeline.cli.upkeep import tidy
from archive_pipeline.derive.registry import chunk_versions
from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.domain.counted import counted
from archive_pipeline.retrieval.index.run import IndexResult, index_archive
from archive_pipeline.store.counts import count_stale


def run(*, rebuild: bool, as_json: bool) -> int:
    """Embed and index what is new; return the exit code."""
    with open_archive() as archive:
        _say_stale(archive)
        with progress_bars(enabled=not as_json) as bars:
            documents = build_document_chunks(archive.database, archive.settings, progress=bars)
            result = index_archive(archive.database, archive.settings, rebuild=rebuild, progress=bars, on_wait=note)
        _report(archive, documents, result)
        _say(documents, result, as_json=as_json)
        tidy(archive)
    return EXIT_REJECTED if documents.failures else 0


def _say(documents: BuildResult, result: IndexResult, *, as_json: bool) -> None:
    if result.embedding.cut_texts:
        note(
            f"{counted(result.embedding.cut_texts, 'chunk is', 'chunks are')} longer than "
            f"{result.embedding.generation.model} reads, which took the beginning; set ARCHIVE_CHUNK_TOKENS lower"
        )
    if result.note is not None:
        note(result.note)
    for failure in failed_documents(documents):
        fail(failure)
    if as_json:
        print_json(_as_dict(result))
    else:
        _print(result)


def _say_stale(archive: OpenArchive) -> None:
    with archive.database.session() as connection:
        stale = max(count_stale(connection, chunk_versions(archive.settings)).values())
    if stale:
        chunks = f"chunks of {counted(stale, 'dialogue')}"
        note(f"{chunks} are not up to date; run `llm-archive build` first to have them indexed")


def _report(archive: OpenArchive, documents: BuildResult, result: IndexResult) -> None:
    """Let Dagster's UI show what was done."""
    # Dagster takes seconds to import, which nobody has to wait for before the work.
    from archive_pipeline.orchestration.assets.search import report_index  # noqa: PLC0415

    report_index(archive.instance, documents, result)


def _as_dict(result: IndexResult) -> dict[str, Any]:
    return {
        "model": result.embedding.generation.model,
        "dimensions": result.embedding.generation.dimensions,
        "embedded": result.embedding.embedded,
        "embeddings_deleted": result.embedding.deleted,
        "cut_texts": result.embedding.cut_texts,
        "store": result.store.value,
        "index": result.sync.index.id,
        "is_new": result.sync.is_new,
        "written": result.sync.written,
        "deleted": result.sync.deleted,
        "seconds": round(result.seconds, 3),
    }


def _print(result: IndexResult) -> None:
    counts = {
        f"texts embedded ({result.embedding.generation.model})": result.embedding.embedded,
        "vectors deleted": result.embedding.deleted,
    }
    if result.store is VectorStore.CHROMA:
        counts |= {
            "chunks written to Chroma": result.sync.written["text"],
            "pages written to Chroma": result.sync.written["visual"],
            "entries deleted from Chroma": sum(result.sync.deleted.values()),
        }
    console = stdout_console()
    console.print(count_table("Index", counts, headers=("", "")))
    console.print(f"\n{result.seconds:.1f} seconds")
