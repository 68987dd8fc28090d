"""A run that this process executes reads the partition keys once; outside of one they are the present ones."""

from __future__ import annotations

import dagster as dg
import pytest

from archive_pipeline.orchestration.instance.keys_of_run import keys_read_once
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues
from archive_pipeline_tests.work import counted_statements

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

NAME = "read_once"


def test_keys_are_those_of_the_beginning_until_the_end(instance: dg.DagsterInstance) -> None:
    instance.add_dynamic_partitions(NAME, ["a", "b"])
    with keys_read_once():
        assert list(instance.get_dynamic_partitions(NAME)) == ["a", "b"]
        instance.add_dynamic_partitions(NAME, ["c"])
        instance.delete_dynamic_partition(NAME, "a")
        assert list(instance.get_dynamic_partitions(NAME)) == ["a", "b"]
        assert [instance.has_dynamic_partition(NAME, key) for key in "abc"] == [True, True, False]
    assert list(instance.get_dynamic_partitions(NAME)) == ["b", "c"]
    assert [instance.has_dynamic_partition(NAME, key) for key in "abc"] == [False, True, True]


def test_what_is_done_with_the_keys_changes_none(instance: dg.DagsterInstance) -> None:
    instance.add_dynamic_partitions(NAME + " 2", ["a"])
    with keys_read_once():
        found = instance.get_dynamic_partitions(NAME + " 2")
        assert isinstance(found, list)
        found.clear()
        assert list(instance.get_dynamic_partitions(NAME + " 2")) == ["a"]


def test_a_run_asks_for_keys_a_few_times(instance: dg.DagsterInstance, settings: Settings, database: Database) -> None:
    keys = add_dialogues(database, 3)
    with counted_statements() as statements:
        assert run_derived(instance, settings, keys).success
    # Before it begins: to register them, to look for runs over them, and to make them one range.
    assert sum("dynamic_partitions" in statement for statement in statements) < 10
