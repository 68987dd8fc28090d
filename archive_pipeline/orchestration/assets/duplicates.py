"""The asset `duplicate_clusters`: it looks at the whole archive, so it has no partitions and a job of its own."""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from typing import Any, Final

import dagster as dg

from archive_pipeline.building.duplicates import UPSTREAM, RefreshResult, duplicates_version, refresh_duplicates
from archive_pipeline.orchestration.assets.factory import KINDS
from archive_pipeline.orchestration.assets.raw import OWNERS, raw_key
from archive_pipeline.orchestration.assets.table_metadata import described, table_schema
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried
from archive_pipeline.settings import Settings
from archive_pipeline.store.duplicates import DUPLICATES
from archive_pipeline.store.replace import TABLES

DUPLICATES_JOB: Final = "find_duplicates"
GROUP: Final = "duplicates"
_TABLE: Final = TABLES[DUPLICATES]


find_duplicates: Final = dg.define_asset_job(
    DUPLICATES_JOB,
    selection=dg.AssetSelection.assets(DUPLICATES),
    description="Finds the duplicates of the whole archive anew.",
    executor_def=dg.in_process_executor,
)


def duplicates_asset(settings: Settings) -> dg.AssetsDefinition:
    """Return the asset; ``settings`` are those of the archive."""

    @dg.asset(
        name=DUPLICATES,
        deps=[*map(dg.AssetKey, UPSTREAM), raw_key("messages"), raw_key("content_parts")],
        group_name=GROUP,
        owners=OWNERS,
        kinds=set(KINDS),
        description=f"{described(_TABLE)}. Found anew every night and by `llm-archive duplicates --refresh`.",
        code_version=duplicates_version(settings),
        metadata={
            "dagster/table_name": f"{_TABLE.schema}.{_TABLE.name}",
            "dagster/column_schema": table_schema(_TABLE),
        },
    )
    def duplicate_clusters(archive: dg.ResourceParam[Archive]) -> dg.MaterializeResult[None]:
        with transient_errors_retried():
            result = refresh_duplicates(
                archive.database, archive.settings, executor=archive.executor, progress=archive.progress
            )
        return dg.MaterializeResult(metadata=refresh_metadata(result))

    return duplicate_clusters


def refresh_metadata(result: RefreshResult) -> dict[str, Any]:
    """Return what was found, as numbers that Dagster plots over time."""
    return {
        f"rows_{DUPLICATES}": result.rows,
        **{f"clusters_{method.replace(':', '_')}": count for method, count in result.clusters.items()},
        "content_copies": result.content_copies,
        "prefix_copies": result.prefix_copies,
        **{f"compared_{kind}s": count for kind, count in result.compared.items()},
        "dialogues": result.dialogues,
        "messages": result.messages,
        "seconds": round(result.seconds, 3),
    }
