"""Materialisations of partitions that belong to no run: which are missing, and reporting them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import dagster as dg
from dagster import DagsterEvent, DagsterEventType
from dagster._core.events import StepMaterializationData
from dagster._core.instance.utils import RUNLESS_JOB_NAME, RUNLESS_RUN_ID
from dagster._core.storage.partition_status_cache import AssetPartitionStatus

from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage
from archive_pipeline.orchestration.instance.partition_set import PartitionSet

_SHOWN: Final = (AssetPartitionStatus.MATERIALIZED, AssetPartitionStatus.IN_PROGRESS)


def not_shown(
    instance: dg.DagsterInstance, definition: dg.PartitionsDefinition[str], asset: str, keys: Sequence[str]
) -> list[str]:
    """Return the keys that the asset is not shown as materialised or under way for."""
    statuses = instance.get_status_by_partition(dg.AssetKey(asset), keys, definition) or {}
    return [key for key in keys if statuses.get(key) not in _SHOWN]


def report_materialized(
    instance: dg.DagsterInstance, asset: str, keys: Sequence[str], metadata: Mapping[str, str]
) -> None:
    """Report the asset as materialised for the keys."""
    if not keys:
        return
    is_own_storage = isinstance(instance.event_log_storage, PooledEventLogStorage)
    for partition in [PartitionSet(keys, {})] if is_own_storage else keys:
        materialization = dg.AssetMaterialization(dg.AssetKey(asset), partition=partition, metadata=metadata)
        event = DagsterEvent(
            event_type_value=DagsterEventType.ASSET_MATERIALIZATION.value,
            event_specific_data=StepMaterializationData(materialization),
            job_name=RUNLESS_JOB_NAME,
        )
        instance.report_dagster_event(event, RUNLESS_RUN_ID)
