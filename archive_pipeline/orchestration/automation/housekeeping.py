"""The job `housekeeping`, run every night: what killed processes, deletions and time have left behind is tidied up."""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from pathlib import Path
from typing import Any, Final, NamedTuple

import dagster as dg
import psycopg

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.orchestration.automation.tick_logs import delete_logs_of_gone_ticks
from archive_pipeline.orchestration.instance.orphans import fail_orphans
from archive_pipeline.orchestration.partitions.key_sweep import sweep_keys
from archive_pipeline.orchestration.partitions.keys import NAMES
from archive_pipeline.orchestration.partitions.stale_keys import only_writer_or_none
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried
from archive_pipeline.store.database import Database
from archive_pipeline.store.index_upkeep import rebuild_grown_indexes
from archive_pipeline.store.later_indexes import make_missing_indexes
from archive_pipeline.store.look_ups import delete_old_look_ups
from archive_pipeline.store.rows import fetch_column, fetch_row, fetch_value
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.table_upkeep import analyze_all_tables

HOUSEKEEPING_JOB: Final = "housekeeping"
# A transaction for so many events: no lock is held for long, and an interrupted job keeps what it did.
EVENTS_PER_TRANSACTION: Final = 20_000


class _OldEvents(NamedTuple):
    first_id: int | None
    last_id: int | None


def delete_old_events(database: Database, days: int) -> int:
    """Delete Dagster's events that are older than ``days``; return how many.

    Kept are the latest materialisation, observation and check of each asset partition, a failure that no
    materialisation followed, and all events of runs that have not ended. Nothing is kept of deleted dialogues and of a
    granularity whose keys were removed.
    """
    if days <= 0:
        return 0
    with psycopg.connect(database.session_conninfo, autocommit=True) as connection:
        if not fetch_value(connection, "dagster/has_events", bool):
            return 0
        old = fetch_row(connection, "dagster/old_event_ids", _OldEvents, {"days": days})
        if old is None or old.first_id is None or old.last_id is None:
            return 0
        connection.execute(load_query("dagster/kept_events"), _kept())
        deleted = sum(
            _delete(connection, days, start, min(start + EVENTS_PER_TRANSACTION - 1, old.last_id))
            for start in range(old.first_id, old.last_id + 1, EVENTS_PER_TRANSACTION)
        )
        connection.execute(load_query("dagster/delete_unused_shapes"))
        return deleted


def _kept() -> dict[str, list[str]]:
    return {
        "asset_keys": [dg.AssetKey(name).to_string() for name in ASSETS],
        "definitions": list(NAMES.values()),
    }


def _delete(connection: psycopg.Connection[Any], days: int, first: int, last: int) -> int:
    parameters = {"days": days, "first_id": first, "last_id": last}
    ids = fetch_column(connection, "dagster/events_to_delete", int, parameters)
    connection.execute(load_query("dagster/delete_events"), {"ids": ids})
    return len(ids)


@dg.op(description="Marks runs whose process was killed as failed.", out=dg.Out(dg.Nothing))
def end_orphaned_runs(context: dg.OpExecutionContext) -> None:
    context.add_output_metadata({"runs_ended": len(fail_orphans(context.instance))})


@dg.op(
    description="Removes partition keys without a dialogue and adds those of dialogues without one.",
    ins={"after": dg.In(dg.Nothing)},
    out=dg.Out(dg.Nothing),
)
def sweep_partition_keys(context: dg.OpExecutionContext, archive: dg.ResourceParam[Archive]) -> None:
    with transient_errors_retried(), only_writer_or_none(archive.database) as is_writer:
        if not is_writer:  # who writes changes dialogues and keys, one after the other
            context.log.info("Another process is writing to this archive; its keys are left for another night.")
            return
        swept = sweep_keys(context.instance, archive.database, archive.settings)
    context.add_output_metadata(
        {"keys_removed": swept.removed, "keys_added": swept.added, "keys_left_to_runs": swept.left}
    )


@dg.op(description="Deletes old events of Dagster.", ins={"after": dg.In(dg.Nothing)}, out=dg.Out(dg.Nothing))
def delete_events(context: dg.OpExecutionContext, archive: dg.ResourceParam[Archive]) -> None:
    with transient_errors_retried():
        deleted = delete_old_events(archive.database, archive.settings.event_retention_days)
    context.add_output_metadata({"events_deleted": deleted, "days_kept": archive.settings.event_retention_days})


@dg.op(
    description="Deletes files of what ticks have logged, once the ticks are gone.",
    ins={"after": dg.In(dg.Nothing)},
    out=dg.Out(dg.Nothing),
)
def delete_tick_logs(context: dg.OpExecutionContext, archive: dg.ResourceParam[Archive]) -> None:
    with transient_errors_retried():
        deleted = delete_logs_of_gone_ticks(archive.database, Path(context.instance.storage_directory()))
    context.add_output_metadata({"tick_logs_deleted": deleted})


@dg.op(
    description="Deletes old look-ups of messages arrays.",
    ins={"after": dg.In(dg.Nothing)},
    out=dg.Out(dg.Nothing),
)
def delete_look_ups(context: dg.OpExecutionContext, archive: dg.ResourceParam[Archive]) -> None:
    days = archive.settings.match_log_retention_days
    with transient_errors_retried():
        context.add_output_metadata(
            {"look_ups_deleted": delete_old_look_ups(archive.database, days), "look_up_days_kept": days}
        )


@dg.op(
    description="Makes indexes that a killed command has left out, and rebuilds those of tables that have doubled.",
    ins={"after": dg.In(dg.Nothing)},
    out=dg.Out(dg.Nothing),
)
def rebuild_indexes(context: dg.OpExecutionContext, archive: dg.ResourceParam[Archive]) -> None:
    with transient_errors_retried():
        made, rebuilt = make_missing_indexes(archive.database), rebuild_grown_indexes(archive.database)
    context.add_output_metadata({"indexes_made": len(made), "indexes_rebuilt": len(rebuilt)})


@dg.op(description="Refreshes statistics.", ins={"after": dg.In(dg.Nothing)}, out=dg.Out(dg.Nothing))
def analyze_tables(context: dg.OpExecutionContext, archive: dg.ResourceParam[Archive]) -> None:
    with transient_errors_retried():
        context.add_output_metadata({"tables_analyzed": analyze_all_tables(archive.database)})


@dg.job(
    name=HOUSEKEEPING_JOB,
    description=(
        "Marks runs of killed processes as failed, makes the partition keys those of the archive's dialogues, "
        "deletes old events of Dagster (ARCHIVE_EVENT_RETENTION_DAYS), logs of ticks that are gone and old look-ups of "
        "messages arrays (ARCHIVE_MATCH_LOG_RETENTION_DAYS), makes indexes that a killed command has left out, "
        "rebuilds those of tables that have doubled, and refreshes the planner's statistics."
    ),
    executor_def=dg.in_process_executor,
)
def housekeeping() -> None:
    deleted = delete_look_ups(delete_tick_logs(delete_events(sweep_partition_keys(end_orphaned_runs()))))
    analyze_tables(rebuild_indexes(deleted))
