"""Removing dialogues from an archive, with the documents that only came with them."""

from __future__ import annotations

from collections.abc import Sequence

from archive_pipeline.ingest.page_images import delete_images
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.deleted_dialogues import delete_for_good
from archive_pipeline.store.raw_writes import delete_dialogues


def delete_with_documents(
    database: Database, settings: Settings, dialogue_ids: Sequence[str], *, is_forever: bool = False
) -> None:
    """Delete dialogues and documents of no live message in one transaction; the caller holds the writer lock.

    Search finds documents by themselves, so an interruption must not leave those of dialogues that are gone.

    Args:
        database: the archive.
        settings: its home has the images of documents.
        dialogue_ids: what to delete.
        is_forever: later imports leave the dialogues out.
    """
    with database.session() as connection:
        if is_forever:
            delete_for_good(connection, dialogue_ids)
        hashes = delete_dialogues(connection, dialogue_ids)
    for sha256 in hashes:
        delete_images(settings, sha256)
