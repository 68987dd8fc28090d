"""`llm-archive partitions`: what Dagster has in either granularity, and the switch."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.orchestration.partitions.keys import NAMES
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.tables import derived_rows, query

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]

SHARDED = {"ARCHIVE_PARTITIONING": "sharded"}


@pytest.fixture(autouse=True)
def _no_keys(settings: Settings, database: Database) -> None:
    """Other tests of the session leave keys behind."""
    with instance_for(settings) as instance:
        for partitioning in Partitioning:
            for key in instance.get_dynamic_partitions(NAMES[partitioning]):
                instance.delete_dynamic_partition(NAMES[partitioning], key)


def test_the_archive_is_switched_and_switched_back(llm_archive: CommandLine, database: Database, sample: Path):
    llm_archive("import", sample)
    before = derived_rows(database)
    [(dialogues, shards)] = query(
        database, "SELECT count(DISTINCT partition_key), count(DISTINCT shard_key) FROM raw.dialogues"
    )
    complete = {"registered": dialogues, "missing": 0, "orphaned": 0}
    assert llm_archive("partitions", "--json").json == {
        "in_use": "per_dialogue",
        "keys": {"per_dialogue": complete, "sharded": {"registered": 0, "missing": shards, "orphaned": 0}},
    }
    switched = llm_archive("partitions", "--register", "--remove-unused", "--json", **SHARDED).json
    assert switched["in_use"] == "sharded"
    assert (switched["registration"]["added"], switched["removed_unused"]) == (shards, dialogues)
    assert set(switched["registration"]["reported"]) == set(ASSETS)
    assert switched["keys"] == {
        "per_dialogue": {"registered": 0, "missing": dialogues, "orphaned": 0},
        "sharded": {"registered": shards, "missing": 0, "orphaned": 0},
    }
    assert llm_archive("build", "--json", **SHARDED).json["runs"] == []
    back = llm_archive("partitions", "--register", "--json").json
    assert back["registration"]["added"] == dialogues
    assert back["keys"]["per_dialogue"] == complete
    assert llm_archive("build", "--json").json["runs"] == []
    assert derived_rows(database) == before


def test_people_see_a_table_and_what_to_do(llm_archive: CommandLine, loaded: Loaded, sample: Path):
    loaded(sample)
    result = llm_archive("partitions", **SHARDED)
    assert result.code == 0
    assert "sharded (in use)" in result.out
    assert "`llm-archive partitions --register` adds what is missing" in result.err
    result = llm_archive("partitions", "--register", **SHARDED)
    assert "keys added, 0 removed" in result.err
    assert "restart `llm-archive up`" in result.err
    assert "adds what is missing" not in result.err
