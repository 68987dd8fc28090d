"""The file of the embedded Chroma, which keeps the texts of entries that Chroma has deleted.

They stay in its log until a thousand writes have followed, in its index of words, and on free pages of the file.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Final

from archive_pipeline.domain.sql_files import load_query
from archive_pipeline.retrieval.index.chroma import address_of, translate_errors
from archive_pipeline.settings import Settings

_FILE: Final = "chroma.sqlite3"
# Readers hold the file for the time of a query.
_SECONDS_TO_WAIT: Final = 60


def erase_deleted(settings: Settings) -> None:
    """Take the texts of deleted entries out of the embedded store; a server looks after its files itself.

    The caller holds ``chroma.only_writer``, and has no call of Chroma under way.

    Raises:
        VectorStoreError: the file cannot be written.
    """
    if settings.chroma_url is not None:
        return
    with (
        translate_errors(address_of(settings)),
        closing(sqlite3.connect(settings.chroma_folder / _FILE, timeout=_SECONDS_TO_WAIT)) as connection,
    ):
        connection.executescript(load_query("vector_index/erase_deleted_from_chroma"))
