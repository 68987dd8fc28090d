"""Materialisations of a run over a range of partitions, made once and stored for each partition.

Dagster makes an event per partition and has each pass the log, the listeners and the plan of the run: a quarter of a
millisecond for events that differ in their partition and in what only its event shows. Also `add_asset_metadata`, which
is Dagster's way to say the latter, goes through all partitions for each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dagster as dg
from dagster._core.definitions.partitions.subset import DefaultPartitionsSubset
from dagster._core.execution.context.metadata_logging import (
    AssetMetadataHandle,
    OutputMetadataAccumulator,
    OutputMetadataHandle,
)
from dagster._core.execution.context.output import OutputContext
from dagster._core.execution.context.system import StepExecutionContext

from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage
from archive_pipeline.orchestration.instance.partition_set import Metadata, PartitionSet


def materialize_together(context: dg.AssetExecutionContext, metadata: Mapping[str, Metadata]) -> None:
    """Have Dagster make one event of the asset that is being materialised, which the storage writes for each partition.

    With another storage than the project's Dagster makes all of them.

    Args:
        context: of the asset.
        metadata: partition key -> what only its event shows.
    """
    step = context._step_execution_context  # noqa: SLF001
    if isinstance(context.instance.event_log_storage, PooledEventLogStorage):
        _put_in_place(step, PartitionSet(context.partition_keys, metadata))
    else:
        _accumulate(step, context.asset_key, metadata)


def _put_in_place(step: StepExecutionContext, partitions: PartitionSet) -> None:
    """Let the output of the step have one partition, which stands for all."""
    make = step.get_output_context

    def get_output_context(*arguments: Any, **named: Any) -> OutputContext:
        output = make(*arguments, **named)
        output._asset_partitions_subset = DefaultPartitionsSubset({partitions})  # noqa: SLF001
        return output

    step.get_output_context = get_output_context  # type: ignore[method-assign]


def _accumulate(step: StepExecutionContext, asset_key: dg.AssetKey, metadata: Mapping[str, Metadata]) -> None:
    """Do at once what `add_asset_metadata` does for each partition."""
    present = step._metadata_accumulator.per_output_metadata  # noqa: SLF001
    added: dict[OutputMetadataHandle | AssetMetadataHandle, Mapping[str, Any]] = {
        AssetMetadataHandle(asset_key=asset_key, partition_key=partition): own for partition, own in metadata.items()
    }
    step._metadata_accumulator = OutputMetadataAccumulator(per_output_metadata={**present, **added})  # noqa: SLF001
