"""Dagster's run storage: a run says in which process it is, and records of backfills are kept small.

What a record of a backfill holds is in `backfill_record`. Dagster's daemon is shown the part that it is to work on;
everybody else, such as the web server, is shown the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy
from dagster import DagsterEvent, DagsterEventType
from dagster._core.execution.asset_backfill import AssetBackfillData
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._daemon.types import DaemonHeartbeat
from dagster_postgres import PostgresRunStorage

from archive_pipeline.orchestration.instance.backfill_record import (
    BackfillRecord,
    can_be_packed,
    from_text,
    packed,
    part,
    targeted_keys,
    to_text,
    updated,
    whole,
)
from archive_pipeline.orchestration.instance.orphans import process_tag
from archive_pipeline.orchestration.instance.pooled_engine import OnPooledEngine
from archive_pipeline.store.sql_files import load_query

_BACKFILL_DAEMON: Final = "BACKFILL"
_COMPLETED: Final = frozenset({BulkActionStatus.COMPLETED_SUCCESS, BulkActionStatus.COMPLETED_FAILED})


class PooledRunStorage(OnPooledEngine, PostgresRunStorage):
    """Dagster's run storage on a shared engine."""

    _has_statistics = False
    _has_backfill_id = False

    def __init__(self, engine: sqlalchemy.Engine) -> None:
        super().__init__(engine.url.render_as_string(hide_password=False))
        self._engine = engine
        self._is_of_backfill_daemon = False

    def has_run_stats_index_cols(self) -> bool:
        """Return whether runs have times; a positive answer is kept, as of assets in `event_log_storage`."""
        self._has_statistics = self._has_statistics or super().has_run_stats_index_cols()
        return self._has_statistics

    def has_backfill_id_column(self) -> bool:
        """Return whether runs have a backfill; a positive answer is kept."""
        self._has_backfill_id = self._has_backfill_id or super().has_backfill_id_column()
        return self._has_backfill_id

    def handle_run_event(self, run_id: str, event: DagsterEvent, update_timestamp: datetime | None = None) -> None:
        """Take the status from an event. A run's own process says that it starts: no started run is without the tag."""
        if event.event_type == DagsterEventType.RUN_START and self.has_run(run_id):
            self.add_run_tags(run_id, process_tag())
        super().handle_run_event(run_id, event, update_timestamp)

    def add_daemon_heartbeat(self, daemon_heartbeat: DaemonHeartbeat) -> None:
        """Store that a daemon is there. The one of backfills says so before its first turn: this is its process."""
        if daemon_heartbeat.daemon_type == _BACKFILL_DAEMON:
            self._is_of_backfill_daemon = True
        super().add_daemon_heartbeat(daemon_heartbeat)

    def add_backfill(self, partition_backfill: PartitionBackfill) -> None:
        """Store a new backfill, in little room if it is one of partitions."""
        data = partition_backfill.asset_backfill_data
        if data is not None and can_be_packed(data):
            partition_backfill = _with_record(partition_backfill, packed(data, self._in_order(targeted_keys(data))))
        super().add_backfill(partition_backfill)

    def update_backfill(self, partition_backfill: PartitionBackfill) -> None:
        """Store what became of a backfill, or of the part that the daemon was shown."""
        data = partition_backfill.asset_backfill_data
        stored = self._stored(partition_backfill.backfill_id) if data is not None else None
        if data is not None and stored is not None:
            record = updated(stored, data)
            partition_backfill = _with_record(partition_backfill, record)
            if partition_backfill.status in _COMPLETED and record.is_waiting():
                partition_backfill = partition_backfill._replace(
                    status=BulkActionStatus.REQUESTED, backfill_end_timestamp=None
                )
        super().update_backfill(partition_backfill)

    def get_backfill(self, backfill_id: str) -> PartitionBackfill | None:
        """Return a backfill, or the part of it that the daemon is to work on."""
        found = super().get_backfill(backfill_id)
        return None if found is None else self._shown(found)

    def get_backfills(self, *arguments: Any, **named: Any) -> Sequence[PartitionBackfill]:
        """Return backfills, or the parts of them that the daemon is to work on."""
        return [self._shown(found) for found in super().get_backfills(*arguments, **named)]

    def dispose(self) -> None:
        """Close the idle connections."""
        self._engine.dispose()
        super().dispose()

    def _shown(self, stored: PartitionBackfill) -> PartitionBackfill:
        record = _record(stored)
        if record is None:
            return stored
        if self._is_of_backfill_daemon:
            return _with_data(stored, part(record, may_ask=stored.status == BulkActionStatus.REQUESTED))
        return _with_data(stored, whole(record))

    def _stored(self, backfill_id: str) -> BackfillRecord | None:
        found = super().get_backfill(backfill_id)
        return None if found is None else _record(found)

    def _in_order(self, keys: set[str]) -> list[str]:
        """Return the keys in the order of the partitions; those that are none come last."""
        with self.connect() as connection:
            rows = connection.exec_driver_sql(load_query("dagster/partition_order"), {"keys": [*keys]})
            order = list(rows.scalars())
        return [*order, *sorted(keys.difference(order))]


def _record(stored: PartitionBackfill) -> BackfillRecord | None:
    text = stored.serialized_asset_backfill_data
    return None if text is None else from_text(text)


def _with_record(backfill: PartitionBackfill, record: BackfillRecord) -> PartitionBackfill:
    return backfill._replace(asset_backfill_data=None, serialized_asset_backfill_data=to_text(record))


def _with_data(backfill: PartitionBackfill, data: AssetBackfillData) -> PartitionBackfill:
    return backfill._replace(asset_backfill_data=data, serialized_asset_backfill_data=None)
