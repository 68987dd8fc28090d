"""How many texts search finds by their words only, until ``llm-archive index``."""

from __future__ import annotations

from archive_pipeline.cli.archive import OpenArchive
from archive_pipeline.errors import MissingExtraError
from archive_pipeline.retrieval.embedders.registry import version_in_workers
from archive_pipeline.retrieval.index.choice import searched_index
from archive_pipeline.store.embeddings import count_texts_to_embed


def count_unindexed(archive: OpenArchive) -> int:
    """Return how many texts have no vector yet; none where there is no index and nothing that could make one."""
    with archive.database.session() as connection:
        index = searched_index(connection, archive.settings)
        if index is None and not _can_index(archive):
            return 0
        return count_texts_to_embed(connection, None if index is None else index.generation)


def _can_index(archive: OpenArchive) -> bool:
    try:
        version_in_workers(archive.settings.embedding_model)
    except MissingExtraError:
        return False
    return True
