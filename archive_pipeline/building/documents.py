"""Building the chunks of documents."""

from __future__ import annotations

from archive_pipeline.building.document_source import DOCUMENTS
from archive_pipeline.building.engine import BuildResult, build
from archive_pipeline.building.executors.executor import Executor
from archive_pipeline.building.executors.opening import executor_for
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS, stale_documents


def build_document_chunks(
    database: Database,
    settings: Settings,
    *,
    full: bool = False,
    executor: Executor | None = None,
    progress: Progress = no_progress,
) -> BuildResult:
    """Split the pages of documents that are new, were read again, or were split by another version or to another size.

    Two processes that do it at once write the same rows.

    Args:
        database: the archive's.
        settings: the archive's.
        full: also documents whose chunks are up to date.
        executor: where chunks are computed; by default one of the settings, for this build alone.
        progress: told of pages by the asset's name.
    """
    version = effective_version(DOCUMENT_CHUNKS, settings)
    with database.session() as connection:
        chosen = stale_documents(connection, version, include_current=full)
    chunks = list(DOCUMENTS.chunks(chosen, DOCUMENTS.text_bytes(database, chosen)))
    with executor_for(database, settings, executor) as used:
        return build(used, settings, DOCUMENTS, DOCUMENT_CHUNKS, chunks, progress=progress)


def failed_documents(result: BuildResult) -> list[str]:
    """Return a line for each document whose pages cannot be cut; it has no chunks then."""
    return [
        f"document {document_id} cannot be cut: {error.splitlines()[0]}"
        for document_id, error in sorted(result.failures.items())
    ]
