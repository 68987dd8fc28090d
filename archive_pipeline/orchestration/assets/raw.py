"""The raw tables as external assets: imports and commands write them outside Dagster and report what they wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import dagster as dg
from sqlalchemy import Table

from archive_pipeline.ingest.documents import Added, Outcome
from archive_pipeline.orchestration.assets.table_metadata import described, table_schema
from archive_pipeline.store.tables.documents import document_pages, documents
from archive_pipeline.store.tables.raw import attachments, content_parts, dialogues, messages

GROUP: Final = "raw"
OWNERS: Final = ("team:archive",)
SHOWN_REMOVED: Final = 100
# The first one of each is the table that the others belong to.
IMPORTED_TABLES: Final = {table.name: table for table in (dialogues, messages, content_parts, attachments)}
ADDED_TABLES: Final = {table.name: table for table in (documents, document_pages)}
RAW_ASSET_TABLES: Final = {**IMPORTED_TABLES, **ADDED_TABLES}
_WRITERS: Final = {
    **dict.fromkeys(IMPORTED_TABLES, "imports: the command line or the job import_files"),
    **dict.fromkeys(ADDED_TABLES, "imports, of attached files, and `llm-archive documents add`"),
}


def raw_key(table: str) -> dg.AssetKey:
    """Return the asset key of a raw table."""
    return dg.AssetKey(["raw", table])


# External assets: one per raw table that derived assets read.
RAW_ASSETS: Final = [
    dg.AssetSpec(
        raw_key(name),
        description=f"{described(table)}. Written by {_WRITERS[name]}.",
        group_name=GROUP,
        owners=list(OWNERS),
        kinds={"postgres"},
        metadata={
            "dagster/table_name": f"{table.schema}.{name}",
            "dagster/column_schema": table_schema(table),
        },
    )
    for name, table in RAW_ASSET_TABLES.items()
]


def import_events(rows: Mapping[str, int], removed: Sequence[str] = ()) -> Iterator[dg.AssetMaterialization]:
    """Yield what Dagster is told of an import; tables in which nothing changed are left out.

    Args:
        rows: table name -> rows inserted or changed; names that are no asset are ignored.
        removed: keys of dialogues that mirroring removed. With them went rows of every table.
    """
    yield from _events(IMPORTED_TABLES, rows, removed)


def report_import(instance: dg.DagsterInstance, rows: Mapping[str, int], removed: Sequence[str] = ()) -> None:
    """Tell Dagster of an import outside any run; the arguments are those of `import_events`."""
    for event in import_events(rows, removed):
        instance.report_runless_asset_event(event)


def document_events(added: Iterable[Added]) -> Iterator[dg.AssetMaterialization]:
    """Yield what Dagster is told of documents that an import read."""
    read = [item for item in added if item.outcome in (Outcome.NEW, Outcome.READ_AGAIN)]
    yield from _events(ADDED_TABLES, {"documents": len(read), "document_pages": sum(item.pages for item in read)}, ())


def report_documents(instance: dg.DagsterInstance, rows: Mapping[str, int], removed: Sequence[str] = ()) -> None:
    """Tell Dagster of documents that a command read or removed; tables in which nothing changed are left out.

    Args:
        instance: the archive's.
        rows: table name -> rows written.
        removed: ids of documents that were removed. With them went rows of every table.
    """
    for event in _events(ADDED_TABLES, rows, removed):
        instance.report_runless_asset_event(event)


def _events(
    tables: Mapping[str, Table], rows: Mapping[str, int], removed: Sequence[str]
) -> Iterator[dg.AssetMaterialization]:
    main = next(iter(tables))
    for name in tables:
        metadata: dict[str, Any] = {"rows_written": rows.get(name, 0)}
        if removed and name == main:
            metadata |= {f"{main}_removed": len(removed), "removed": list(removed[:SHOWN_REMOVED])}
        if rows.get(name) or removed:
            yield dg.AssetMaterialization(raw_key(name), metadata=metadata)
