"""Which partition keys are stale, asked once for all assets; and whether anybody is at work on them already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import class_row

from archive_pipeline.derive.registry import code_versions, effective_version
from archive_pipeline.settings import Settings
from archive_pipeline.store import locks
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline.store.rows import fetch_value
from archive_pipeline.store.staleness import load_key_query


@dataclass(frozen=True, slots=True)
class StaleKey:
    """A partition key under which something is stale.

    Attributes:
        key: the key.
        digest: 32 bits of the key, the stale content, and the code that is to build it.
        attempts: how often the same was tried already.
    """

    key: str
    digest: int
    attempts: int = 0


def stale_keys(
    connection: psycopg.Connection[Any],
    settings: Settings,
    attempts: Mapping[int, int] | None = None,
    *,
    limit: int | None = None,
) -> list[StaleKey]:
    """Return keys, in the granularity of the settings, with a dialogue of which any asset is stale.

    They are in the order to build them: dialogues by source and id, shards by name.

    Args:
        connection: to the archive.
        settings: of the archive.
        attempts: digest -> how often it was tried. Keys with one of these digests are all among those returned.
        limit: how many of the other keys, the first ones, are returned; all by default. A hundred thousand keys take
            longer to fetch than to find.
    """
    versions, attempts = code_versions(settings), attempts or {}
    parameters = {
        "assets": list(versions),
        "code_versions": list(versions.values()),
        "digests": list(attempts),
        "attempts": list(attempts.values()),
        "limit": limit,
    }
    with connection.cursor(row_factory=class_row(StaleKey)) as cursor:
        query = load_key_query("staleness/stale_keys", settings.partitioning)
        return cursor.execute(query, parameters).fetchall()


def change_counters(connection: psycopg.Connection[Any]) -> str | None:
    """Return a text that is another one after any change to dialogues, documents, imports or build states.

    None is for no telling. It must be read before what it is to speak for. The server counts a change up to some
    seconds after its commit, and then the text differs.
    """
    return fetch_value(connection, "staleness/change_counters", str)


def built_state(connection: psycopg.Connection[Any]) -> str:
    """Return a text that is another one after dialogues were built, failed to be, or were deleted."""
    return fetch_value(connection, "staleness/built_state", str) or ""


def imports_state(connection: psycopg.Connection[Any]) -> str:
    """Return a text that is another one after an import has ended, an empty one before the first."""
    return fetch_value(connection, "imports/imports_state", str) or ""


def documents_state(connection: psycopg.Connection[Any], settings: Settings) -> str:
    """Return a text that is another one after documents were added, read again or removed, or are to be cut anew.

    It is empty without documents.
    """
    state = fetch_value(connection, "documents/documents_state", str)
    return f"{state};{effective_version(DOCUMENT_CHUNKS, settings)}" if state else ""


@contextmanager
def only_writer_or_none(database: Database) -> Iterator[bool]:
    """Hold the archive's writer lock if nobody else has it; yield whether it is held. Never waits."""
    with locks.held_if_free(database, locks.ARCHIVE_WRITER) as is_held:
        yield is_held
