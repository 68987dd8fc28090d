"""The raw tables as external assets: the importer writes them outside Dagster and reports what it wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import dagster as dg

from archive_pipeline.orchestration.table_metadata import table_schema
from archive_pipeline.store.tables.raw import attachments, content_parts, dialogues, messages

GROUP: Final = "raw"
OWNERS: Final = ("team:archive",)
SHOWN_REMOVED: Final = 100
RAW_ASSET_TABLES: Final = {table.name: table for table in (dialogues, messages, content_parts, attachments)}


def raw_key(table: str) -> dg.AssetKey:
    """Return the asset key of a raw table."""
    return dg.AssetKey(["raw", table])


def raw_asset_specs() -> list[dg.AssetSpec]:
    """Return one external asset per raw table that derived assets read."""
    return [
        dg.AssetSpec(
            raw_key(name),
            description=f"{table.comment}. Written by imports: the command line or the job import_files.",
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
    for name in RAW_ASSET_TABLES:
        metadata: dict[str, Any] = {"rows_written": rows.get(name, 0)}
        if removed and name == dialogues.name:
            metadata |= {"dialogues_removed": len(removed), "removed": list(removed[:SHOWN_REMOVED])}
        if rows.get(name) or removed:
            yield dg.AssetMaterialization(raw_key(name), metadata=metadata)


def report_import(instance: dg.DagsterInstance, rows: Mapping[str, int], removed: Sequence[str] = ()) -> None:
    """Tell Dagster of an import outside any run; the arguments are those of `import_events`."""
    for event in import_events(rows, removed):
        instance.report_runless_asset_event(event)
