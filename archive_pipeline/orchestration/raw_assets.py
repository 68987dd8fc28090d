"""The raw tables as external assets: the importer writes them outside Dagster and reports what it wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import dagster as dg

from archive_pipeline.orchestration.table_metadata import table_schema
from archive_pipeline.store.tables.raw import attachments, content_parts, dialogues, messages

GROUP: Final = "raw"
OWNERS: Final = ("team:archive",)
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


def report_import(instance: dg.DagsterInstance, rows: Mapping[str, int]) -> None:
    """Tell Dagster that an import wrote raw tables; tables without new rows are not reported.

    Args:
        instance: the archive's.
        rows: table name -> rows inserted or changed; names that are no asset are ignored.
    """
    for name in RAW_ASSET_TABLES:
        if rows.get(name):
            instance.report_runless_asset_event(
                dg.AssetMaterialization(raw_key(name), metadata={"rows_written": rows[name]})
            )
