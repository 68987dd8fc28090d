"""The log of imports: ``raw.imports`` and ``raw.rejected_records``."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import orjson
import psycopg

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.store import locks
from archive_pipeline.store.database import Database
from archive_pipeline.store.sql_files import load_query


def start(connection: psycopg.Connection[Any], path: str, *, is_partial: bool) -> str:
    """Record that the import of a file begins; return its id."""
    import_id = str(uuid.uuid4())
    connection.execute(load_query("imports/start_import"), {"id": import_id, "path": path, "is_partial": is_partial})
    return import_id


def close_interrupted(connection: psycopg.Connection[Any]) -> None:
    """Mark imports as failed that still count as running: whoever holds the writer lock knows that they are not."""
    connection.execute(load_query("imports/close_interrupted_imports"))


def reject(connection: psycopg.Connection[Any], import_id: str, records: Sequence[RejectedRecord]) -> None:
    """Keep rejected records, in their order."""
    rows = [
        {
            "import_id": import_id,
            "locator": record.locator,
            "reason": record.reason,
            "error": record.error,
            "excerpt": record.excerpt,
        }
        for record in records
    ]
    with connection.cursor() as cursor:
        cursor.executemany(load_query("imports/reject_record"), rows)


def finish(
    connection: psycopg.Connection[Any],
    import_id: str,
    *,
    sha256: str | None,
    source: str | None,
    reader_version: int | None,
    is_whole: bool,
    counts: Mapping[str, Any],
) -> None:
    """Record how the import of a file ended."""
    connection.execute(
        load_query("imports/finish_import"),
        {
            "id": import_id,
            "sha256": sha256,
            "source": source,
            "reader_version": reader_version,
            "status": "done" if is_whole else "failed",
            "counts": orjson.dumps(counts, option=orjson.OPT_NON_STR_KEYS).decode(),
        },
    )


@contextmanager
def only_writer(database: Database, on_wait: Callable[[str], None] = locks.silent) -> Iterator[None]:
    """Hold the archive's writer lock; before waiting for another process that has it, call ``on_wait`` once.

    Imports that another process left unfinished count as failed from then on.
    """
    with locks.held(database, locks.ARCHIVE_WRITER, on_wait):
        with database.session() as connection:
            close_interrupted(connection)
        yield
