"""Figures about the whole archive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg import sql
from psycopg.rows import dict_row

from archive_pipeline.store.acknowledgements import Unacknowledged, unacknowledged
from archive_pipeline.store.attachments import Totals, totals
from archive_pipeline.store.counts import count_quarantined, count_stale, count_stale_documents
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS, quarantined_documents
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.tables import (
    ATTACHMENT_TABLES,
    DERIVED_TABLES,
    DOCUMENT_TABLES,
    RAW_TABLES,
    document_chunks,
    page_vectors,
)

_COUNTED: Final = (*RAW_TABLES, *ATTACHMENT_TABLES, *DOCUMENT_TABLES, *DERIVED_TABLES, document_chunks, page_vectors)


@dataclass(frozen=True, slots=True)
class ArchiveStats:
    """What the archive holds.

    Attributes:
        sources: per source its name, dialogues, and live messages.
        rows: rows per table, as ``schema.table``.
        stale: dialogues to build per derived asset.
        stale_documents: documents whose chunks are to build.
        quarantined: dialogues and documents that cannot be built, per derived asset that has any.
        imports: imported files by status, and rejected records.
        attachments: attached files that are kept and missing.
        unacknowledged: what imports met that nobody has taken note of.
        last_import_at: when the last import ended.
        size_bytes: size of the database.
        table_bytes: per table, as ``schema.table``, what it takes with its indexes; the largest first.
    """

    sources: list[dict[str, Any]]
    rows: dict[str, int]
    stale: dict[str, int]
    stale_documents: int
    quarantined: dict[str, int]
    imports: dict[str, int]
    attachments: Totals
    unacknowledged: Unacknowledged
    last_import_at: datetime | None
    size_bytes: int
    table_bytes: dict[str, int]


def archive_stats(database: Database, code_versions: Mapping[str, str], documents_version: str) -> ArchiveStats:
    """Return the figures.

    Args:
        database: the archive's.
        code_versions: effective version of each derived asset.
        documents_version: that of the chunks of documents.
    """
    with database.session() as connection, connection.cursor(row_factory=dict_row) as cursor:
        sources = cursor.execute(load_query("summary/stats_sources")).fetchall()
        found: dict[str, Any] = cursor.execute(load_query("summary/stats_totals")).fetchone() or {}
        rows: dict[str, int] = {}
        for table in _COUNTED:
            name = sql.Identifier(table.schema or "public", table.name)
            counted = cursor.execute(sql.SQL("SELECT count(*) AS count FROM {}").format(name)).fetchone() or {}
            rows[str(table)] = counted["count"]
        stale = count_stale(connection, code_versions)
        of_documents = count_stale_documents(connection, documents_version)
        quarantined = count_quarantined(connection, code_versions)
        documents_set_aside = len(quarantined_documents(connection, documents_version))
        not_noted = unacknowledged(connection)
        attached = totals(connection)
        sizes = cursor.execute(load_query("summary/table_sizes")).fetchall()
    return ArchiveStats(
        sources=sources,
        rows=rows,
        stale=stale,
        stale_documents=of_documents,
        quarantined={
            **quarantined.by_asset,
            **({DOCUMENT_CHUNKS: documents_set_aside} if documents_set_aside else {}),
        },
        attachments=attached,
        imports={name: found[name] for name in ("done", "failed", "running", "rejected_records")},
        unacknowledged=not_noted,
        last_import_at=found["last_import_at"],
        size_bytes=found["size_bytes"],
        table_bytes={row["name"]: row["size_bytes"] for row in sizes},
    )
