"""The file of the embedded Chroma: its collections, and the texts of entries that Chroma has deleted.

Texts stay in its log until a thousand writes have followed, in its index of words, and on free pages of the file.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Final, NamedTuple

from archive_pipeline.domain.sql_files import load_query
from archive_pipeline.retrieval.index.chroma import location_of, translate_errors
from archive_pipeline.settings import Settings

_FILE: Final = "chroma.sqlite3"
# Readers hold the file for the time of a query.
_SECONDS_TO_WAIT: Final = 60


class HeldCollection(NamedTuple):
    """A collection of an index in the embedded store.

    Attributes:
        name: of the collection.
        index_id: of the index.
        archive_id: ``database_identity`` of its archive; None if no version that notes it has written to it.
    """

    name: str
    index_id: str
    archive_id: str | None


def held_collections(settings: Settings) -> list[HeldCollection]:
    """Return the collections of indexes of whichever archive, without chromadb; none if there is no embedded store.

    Raises:
        VectorStoreError: the file cannot be read: what is in it is not known.
    """
    file = settings.chroma_folder.absolute() / _FILE
    if settings.chroma_url is not None or not file.is_file():
        return []
    with (
        translate_errors(location_of(settings)),
        closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=_SECONDS_TO_WAIT)) as connection,
    ):
        rows = connection.execute(load_query("vector_index/collections_of_chroma")).fetchall()
    return [HeldCollection(*row) for row in rows]


def erase_deleted(settings: Settings) -> None:
    """Take the texts of deleted entries out of the embedded store; a server looks after its files itself.

    The caller holds ``chroma.only_writer``, and has no call of Chroma under way.

    Raises:
        VectorStoreError: the file cannot be written.
    """
    if settings.chroma_url is not None:
        return
    with (
        translate_errors(location_of(settings)),
        closing(sqlite3.connect(settings.chroma_folder / _FILE, timeout=_SECONDS_TO_WAIT)) as connection,
    ):
        connection.executescript(load_query("vector_index/erase_deleted_from_chroma"))
