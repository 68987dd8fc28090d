"""Partition keys: registration, and ranges."""

from __future__ import annotations

import os
from unittest.mock import patch

import dagster as dg
import pytest
from dagster_postgres import PostgresEventLogStorage

from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.orchestration.partitions.keys import NAMES, contiguous_ranges, register_keys
from archive_pipeline.settings import Settings

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


def keys_of(instance: dg.DagsterInstance, prefix: str) -> list[str]:
    return [key for key in instance.get_dynamic_partitions("dialogues") if key.startswith(prefix)]


def test_registering_keeps_the_order_and_is_idempotent(instance: dg.DagsterInstance, settings: Settings) -> None:
    register_keys(instance, settings, ["reg-b", "reg-a", "reg-b"])
    register_keys(instance, settings, ["reg-c", "reg-a"])
    assert keys_of(instance, "reg-") == ["reg-b", "reg-a", "reg-c"]


def test_shards_are_registered_sorted(instance: dg.DagsterInstance, settings: Settings) -> None:
    register_keys(
        instance, settings.with_values(partitioning=Partitioning.SHARDED), ["s9903", "s9901", "s9902", "s9901"]
    )
    keys = instance.get_dynamic_partitions(NAMES[Partitioning.SHARDED])
    assert [key for key in keys if key.startswith("s99")] == ["s9901", "s9902", "s9903"]


def test_keys_that_are_a_range_are_left_alone(instance: dg.DagsterInstance, settings: Settings) -> None:
    register_keys(instance, settings, ["left-a", "left-b", "left-c"])
    register_keys(instance, settings, ["left-0"])
    assert contiguous_ranges(instance, settings, ["left-c", "left-b"]) == [dg.PartitionKeyRange("left-b", "left-c")]
    assert contiguous_ranges(instance, settings, ["left-c", "left-0"]) == [dg.PartitionKeyRange("left-c", "left-0")]
    assert keys_of(instance, "left-") == ["left-a", "left-b", "left-c", "left-0"]


def test_scattered_and_new_keys_become_the_last_range(instance: dg.DagsterInstance, settings: Settings) -> None:
    register_keys(instance, settings, ["scat-a", "scat-b", "scat-c"])
    assert contiguous_ranges(instance, settings, ["scat-c", "scat-a", "scat-0"]) == [
        dg.PartitionKeyRange("scat-c", "scat-0")
    ]
    assert keys_of(instance, "scat-") == ["scat-b", "scat-c", "scat-a", "scat-0"]


def test_no_keys_are_no_range(instance: dg.DagsterInstance, settings: Settings) -> None:
    with pytest.raises(UnknownDialogueError):
        contiguous_ranges(instance, settings, [])


def test_keys_that_another_process_adds_deletes_or_moves_are_seen(
    instance: dg.DagsterInstance, settings: Settings
) -> None:
    register_keys(instance, settings, ["seen-a", "seen-b", "seen-c"])
    with instance_for(settings) as other:
        assert keys_of(other, "seen-") == ["seen-a", "seen-b", "seen-c"]
        instance.delete_dynamic_partition("dialogues", "seen-b")
        assert keys_of(other, "seen-") == ["seen-a", "seen-c"]
        instance.add_dynamic_partitions("dialogues", ["seen-b"])  # as many as before, in another order
        assert keys_of(other, "seen-") == ["seen-a", "seen-c", "seen-b"]
        contiguous_ranges(instance, settings, ["seen-a", "seen-b"])
        assert keys_of(other, "seen-") == ["seen-c", "seen-a", "seen-b"]


def test_what_a_caller_does_to_the_list_of_keys_is_its_own_affair(
    instance: dg.DagsterInstance, settings: Settings
) -> None:
    register_keys(instance, settings, ["own-a"])
    list_of_keys = instance.get_dynamic_partitions("dialogues")
    assert isinstance(list_of_keys, list)
    list_of_keys.clear()
    assert keys_of(instance, "own-") == ["own-a"]


def test_the_keys_are_fetched_once_while_nobody_changes_them(instance: dg.DagsterInstance, settings: Settings) -> None:
    register_keys(instance, settings, ["once-a"])
    keys = keys_of(instance, "once-")
    with patch.object(PostgresEventLogStorage, "get_dynamic_partitions", side_effect=AssertionError):
        assert keys_of(instance, "once-") == keys


def test_a_forked_process_uses_connections_of_its_own(instance: dg.DagsterInstance, settings: Settings) -> None:
    register_keys(instance, settings, ["fork-parent"])
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = int([keys_of(instance, "fork-") for _ in range(100)] != [["fork-parent"]] * 100)
        finally:
            os._exit(status)
    assert [keys_of(instance, "fork-") for _ in range(100)] == [["fork-parent"]] * 100
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
