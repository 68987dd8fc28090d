"""Dagster's PostgreSQL storages over pooled connections, and an event log that writes asset events in bulk.

The stock storages open a connection per query, and the stock event log writes one planned event per (asset, partition)
with several queries each. Over a range of a thousand dialogues that bookkeeping takes longer than building the tables.
Here a run plans all partitions of an asset in one event, a form of it that Dagster has. Tables and rows are Dagster's
own. One thing is made good on the way, so that an archive goes on by itself after a crash: times that a clock has left
in the future hold up no sensor. The storage of runs is in `run_storage`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import psycopg2
import sqlalchemy
from dagster import AssetKey, DagsterEventType, EventLogEntry
from dagster._core.events import ASSET_CHECK_EVENTS, ASSET_EVENTS
from dagster._core.scheduler.instigation import InstigatorState, SensorInstigatorData
from dagster._core.storage.event_log import DynamicPartitionsTable, SqlEventLogStorageTable
from dagster._core.storage.event_log.base import PlannedMaterializationInfo
from dagster._core.storage.event_log.schema import AssetEventTagsTable
from dagster_postgres import PostgresEventLogStorage, PostgresScheduleStorage
from more_itertools import chunked

from archive_pipeline.orchestration.instance.bulk_copy import copy_rows
from archive_pipeline.orchestration.instance.event_shapes import EventShapesTable, fold_events, read_whole_events
from archive_pipeline.orchestration.instance.event_tags import latest_tags, read_tags_of_all_events, tagged_ids
from archive_pipeline.orchestration.instance.event_texts import event_of, serialize_events
from archive_pipeline.orchestration.instance.keys_of_run import keys_of_run
from archive_pipeline.orchestration.instance.partition_set import PartitionSet
from archive_pipeline.orchestration.instance.pooled_engine import OnPooledEngine
from archive_pipeline.store.sql_files import load_query

KEYS_PER_STATEMENT: Final = 10_000
# Clocks of two machines on one database differ by so much at most.
CLOCK_TOLERANCE_SECONDS: Final = 5.0
# Whoever polls for events follows their ids, so those that are taken must not be missing for long.
EVENTS_PER_TRANSACTION: Final = 1_000


class PooledScheduleStorage(OnPooledEngine, PostgresScheduleStorage):
    """Dagster's schedule storage on a shared engine; last ticks of sensors that are still to come are forgotten.

    A sensor ticks when its interval has passed since its last tick. After a clock that was ahead is put right, that
    would be when the clock gets there again.
    """

    def __init__(self, engine: sqlalchemy.Engine) -> None:
        super().__init__(engine.url.render_as_string(hide_password=False))
        self._engine = engine

    def all_instigator_state(self, *arguments: Any, **named: Any) -> Sequence[InstigatorState]:
        """Return the states of sensors and schedules."""
        return [_without_future_ticks(state) for state in super().all_instigator_state(*arguments, **named)]

    def get_instigator_state(self, origin_id: str, selector_id: str) -> InstigatorState | None:
        """Return the state of a sensor or schedule."""
        state = super().get_instigator_state(origin_id, selector_id)
        return None if state is None else _without_future_ticks(state)

    def dispose(self) -> None:
        """Close the idle connections."""
        self._engine.dispose()
        super().dispose()


class PooledEventLogStorage(OnPooledEngine, PostgresEventLogStorage):
    """Dagster's event log on a shared engine; asset events are written, partition keys moved and deleted in bulk."""

    def __init__(self, engine: sqlalchemy.Engine) -> None:
        super().__init__(engine.url.render_as_string(hide_password=False))
        self._engine = engine
        read_whole_events(engine)
        read_tags_of_all_events(engine)
        self._known_tables: set[str] = set()
        self._known_asset_columns: set[str] = set()
        self._partitions: dict[str, tuple[Any, list[str]]] = {}

    def _init_db(self) -> None:
        """Create Dagster's tables, where there are none."""
        super()._init_db()
        with self._connect() as connection, connection.begin():
            connection.exec_driver_sql(load_query("dagster/index_event_types"))

    def store_event(self, event: EventLogEntry) -> None:
        """Store an event; one that stands for many partitions, as one of each."""
        partition = event.dagster_event.partition if event.dagster_event else None
        if not isinstance(partition, PartitionSet):
            self._store_one(event)
            return
        for keys in chunked(partition.keys, EVENTS_PER_TRANSACTION):
            of_keys = PartitionSet(keys, partition.metadata)
            try:
                self._store_materializations(event, of_keys)
            except (sqlalchemy.exc.DBAPIError, psycopg2.Error):  # Dagster tries what it writes in bulk again, too
                self._store_materializations(event, of_keys)

    def _store_one(self, event: EventLogEntry) -> None:
        """Store an event as the stock storage does, without its NOTIFY, to which no present Dagster listens."""
        with self._connect() as connection:
            inserted = connection.exec_driver_sql(load_query("dagster/insert_event"), self._event_to_row(event))
            event_id = inserted.scalar_one()
        if not event.is_dagster_event:
            return
        if event.dagster_event_type in ASSET_EVENTS and event.get_dagster_event().asset_key:
            with self.index_transaction() as connection:
                self._store_asset_event_tags(connection, [event], [event_id])
                self._store_asset_event(connection, event, event_id)
        elif event.dagster_event_type in ASSET_CHECK_EVENTS:
            self.store_asset_check_event(event, event_id)

    def _store_materializations(self, event: EventLogEntry, partitions: PartitionSet) -> None:
        with_own = [(key, partitions.metadata.get(key, {})) for key in partitions.keys]
        time = self._event_insert_timestamp(event)  # type: ignore[no-untyped-call]
        common = _common_columns(event)
        with self.index_transaction() as connection:
            # Taken beforehand because COPY returns nothing.
            taken = connection.exec_driver_sql(load_query("dagster/next_event_ids"), {"number": len(with_own)})
            ids = taken.scalars().all()
            texts, shapes = fold_events(list(serialize_events(event, with_own)), ids)
            if shapes:
                connection.execute(EventShapesTable.insert(), shapes)
            rows = zip(ids, partitions.keys, texts, strict=True)
            of_run = {**common, "timestamp": time}
            copy_rows(connection, SqlEventLogStorageTable, ("id", "partition", "event"), rows, of_run)
            tags = self._tags_for_asset_event(event)  # those that Dagster looks for
            tagged = tagged_ids(ids, texts, shapes)
            tag_rows = ((number, key, value) for number in tagged for key, value in tags.items())
            of_asset = {"asset_key": common["asset_key"], "event_timestamp": time}
            copy_rows(connection, AssetEventTagsTable, ("event_id", "key", "value"), tag_rows, of_asset)
            # Dagster keeps the last event of an asset in a table of its own.
            self._store_asset_event(connection, event_of(event, *with_own[-1]), ids[-1])

    def get_dynamic_partitions(self, partitions_def_name: str) -> Sequence[str]:
        """Return the keys in their order: in a run of this process, those that there were when it began."""
        of_run = keys_of_run(self, partitions_def_name, self._present_keys)
        return self._present_keys(partitions_def_name) if of_run is None else of_run.in_order.copy()

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        """Return whether there is such a key, in a run of this process as `get_dynamic_partitions`."""
        of_run = keys_of_run(self, partitions_def_name, self._present_keys)
        if of_run is None:
            return super().has_dynamic_partition(partitions_def_name, partition_key)
        return partition_key in of_run.members

    def _present_keys(self, partitions_def_name: str) -> Sequence[str]:
        """Return the keys, fetched anew only if any was added or deleted since, by whichever process.

        Dagster asks for all of them some forty times in a run over a range that the daemon starts.
        """
        with self.index_connection() as connection:
            found = connection.exec_driver_sql(load_query("dagster/partition_ids"), {"name": partitions_def_name})
            ids = tuple(found.one())
        known = self._partitions.get(partitions_def_name)
        if known is None or known[0] != ids:
            known = (ids, list(super().get_dynamic_partitions(partitions_def_name)))
            self._partitions[partitions_def_name] = known
        return known[1].copy()

    @property
    def supports_partition_subset_in_asset_materialization_planned_events(self) -> bool:
        """Tell Dagster to plan the partitions of a run in one event per asset, which the two queries below read."""
        return True

    def get_latest_asset_partition_materialization_attempts_without_materializations(
        self, asset_key: AssetKey, after_storage_id: int | None = None
    ) -> Mapping[str, tuple[str, int]]:
        """Return the run and event of each partition's last plan that no materialisation followed.

        The UI knows by them which partitions failed or are in progress. The stock storage knows plans of one partition
        only, and compares them here, which takes seconds per asset where there are 100,000.
        """
        parameters = self._of_asset(asset_key) | {"after_id": after_storage_id or 0}
        with self.index_connection() as connection:
            rows = connection.exec_driver_sql(load_query("dagster/unmade_partitions"), parameters).all()
        return {partition: (run_id, event_id) for partition, run_id, event_id in rows}

    def get_latest_planned_materialization_info(
        self, asset_key: AssetKey, partition: str | None = None
    ) -> PlannedMaterializationInfo | None:
        """Return the last plan for the asset, or for one partition of it."""
        if partition is None:
            return super().get_latest_planned_materialization_info(asset_key)
        parameters = self._of_asset(asset_key) | {"partition": partition}
        with self.index_connection() as connection:
            row = connection.exec_driver_sql(load_query("dagster/last_plan"), parameters).one_or_none()
        return None if row is None else PlannedMaterializationInfo(storage_id=row.id, run_id=row.run_id)

    def get_latest_tags_by_partition(
        self,
        asset_key: AssetKey,
        event_type: DagsterEventType,
        tag_keys: Sequence[str],
        asset_partitions: Sequence[str] | None = None,
        before_cursor: int | None = None,
        after_cursor: int | None = None,
    ) -> Mapping[str, Mapping[str, str]]:
        """Return tags of the last event of each partition.

        A run asks for them for each asset and check. To build the stock storage's query takes longer than to answer it.
        """
        if asset_partitions is None or before_cursor is not None or after_cursor is not None:
            return super().get_latest_tags_by_partition(
                asset_key, event_type, tag_keys, asset_partitions, before_cursor, after_cursor
            )
        parameters = self._of_asset(asset_key) | {"event_type": event_type.value}
        with self.index_connection() as connection:
            return latest_tags(connection, parameters, tag_keys, asset_partitions)

    def _of_asset(self, asset_key: AssetKey) -> dict[str, Any]:
        """Return parameters that choose the events of an asset since it was wiped."""
        (details,) = self._get_assets_details([asset_key])
        wiped_at = datetime.fromtimestamp((details and details.last_wipe_timestamp) or 0, UTC)
        return {"asset_key": asset_key.to_string(), "wiped_at": wiped_at.replace(tzinfo=None)}

    def move_dynamic_partitions_to_end(self, partitions_def_name: str, partition_keys: Sequence[str]) -> None:
        """Make the keys the last ones of the definition, in the given order; those that are missing are added.

        One transaction: no other process ever sees a key missing.
        """
        with self.index_transaction() as connection:
            _delete_keys(connection, partitions_def_name, partition_keys)
            rows = [{"partitions_def_name": partitions_def_name, "partition": key} for key in partition_keys]
            if rows:
                connection.execute(DynamicPartitionsTable.insert(), rows)

    def delete_dynamic_partitions(self, partitions_def_name: str, partition_keys: Sequence[str]) -> None:
        """Delete keys of the definition in one transaction; the stock storage takes a transaction for each."""
        with self.index_transaction() as connection:
            _delete_keys(connection, partitions_def_name, partition_keys)

    def delete_partition_events(self, partition_keys: Sequence[str]) -> None:
        """Delete what the materialisations of some partitions say, of all assets, but those of runs in flight."""
        for keys in chunked(partition_keys, KEYS_PER_STATEMENT):
            with self.index_transaction() as connection:
                found = connection.exec_driver_sql(load_query("dagster/partition_event_ids"), {"keys": keys})
                for ids in chunked(found.scalars(), KEYS_PER_STATEMENT):
                    connection.exec_driver_sql(load_query("dagster/delete_events"), {"ids": ids})
                connection.exec_driver_sql(load_query("dagster/delete_unused_shapes"))

    def has_table(self, table_name: str) -> bool:
        """Return whether the table exists; tables of Dagster are never dropped, so a positive answer is kept."""
        if table_name not in self._known_tables:
            if not super().has_table(table_name):
                return False
            self._known_tables.add(table_name)
        return True

    def has_asset_key_col(self, column_name: str) -> bool:
        """Return whether Dagster's table of assets has the column, as `has_table` does of tables.

        Dagster asks for it before it writes or reads an asset, ninety times in a run; each answer would be read from
        PostgreSQL's catalogue.
        """
        return column_name in self._known_asset_columns or super().has_asset_key_col(column_name)

    def _has_asset_key_col_on_connection(self, conn: sqlalchemy.Connection, column_name: str) -> bool:
        if column_name not in self._known_asset_columns:
            if not super()._has_asset_key_col_on_connection(conn, column_name):
                return False
            self._known_asset_columns.add(column_name)
        return True

    def dispose(self) -> None:
        """Stop watching runs and close the idle connections."""
        super().dispose()
        self._engine.dispose()


def _delete_keys(connection: sqlalchemy.Connection, partitions_def_name: str, partition_keys: Sequence[str]) -> None:
    """Delete keys of the definition, in the connection's transaction."""
    table = DynamicPartitionsTable
    of_definition = table.c.partitions_def_name == partitions_def_name
    for start in range(0, len(partition_keys), KEYS_PER_STATEMENT):
        chunk = list(partition_keys[start : start + KEYS_PER_STATEMENT])
        connection.execute(table.delete().where(of_definition & table.c.partition.in_(chunk)))


def _without_future_ticks(state: InstigatorState) -> InstigatorState:
    data = state.instigator_data
    if not isinstance(data, SensorInstigatorData):
        return state
    latest = max(data.last_tick_timestamp or 0.0, data.last_tick_start_timestamp or 0.0)
    if latest <= time.time() + CLOCK_TOLERANCE_SECONDS:
        return state
    return state.with_data(data._replace(last_tick_timestamp=None, last_tick_start_timestamp=None))


def _common_columns(entry: EventLogEntry) -> dict[str, str | None]:
    event = entry.get_dagster_event()
    return {
        "run_id": entry.run_id,
        "dagster_event_type": event.event_type_value,
        "step_key": event.step_key,
        "asset_key": event.asset_key.to_string() if event.asset_key else None,
    }
