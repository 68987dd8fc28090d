"""`llm-archive delete`: a dialogue is gone from everywhere, and comes back as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.orchestration.instance import instance_for
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.tables import derived_rows, query, raw_rows

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]


def keys(settings: Settings) -> set[str]:
    with instance_for(settings) as instance:
        return set(instance.get_dynamic_partitions("dialogues"))


def test_a_deleted_dialogue_is_nowhere_and_the_next_import_brings_it_back_as_it_was(
    llm_archive: CommandLine, database: Database, settings: Settings, sample: Path
):
    assert llm_archive("import", sample).code == 0
    before = raw_rows(database), derived_rows(database)
    [(key, identifier, messages)] = query(
        database, "SELECT partition_key, id::text, message_count FROM raw.dialogues ORDER BY message_count DESC LIMIT 1"
    )
    assert key in keys(settings)

    result = llm_archive("delete", key, "--json")
    assert result.code == 0
    assert result.json == {"deleted": key, "messages": messages}
    assert key not in keys(settings)
    left = raw_rows(database), derived_rows(database)
    assert not [row for tables in left for rows in tables.values() for row in rows if identifier in row]
    assert len(left[0]["dialogues"]) == len(before[0]["dialogues"]) - 1
    assert llm_archive("delete", key).code == 2

    assert llm_archive("import", sample, "--json").json["dialogues"]["new"] == 1
    assert (raw_rows(database), derived_rows(database)) == before
    assert key in keys(settings)


def test_a_dialogue_is_deleted_by_its_id_too(llm_archive: CommandLine, database: Database, sample: Path):
    llm_archive("import", sample)
    [(identifier, key)] = query(database, "SELECT id::text, partition_key FROM raw.dialogues ORDER BY 1 LIMIT 1")
    result = llm_archive("delete", identifier)
    assert result.code == 0
    assert result.out.startswith(f"deleted {key} (")


def test_a_sharded_archive_keeps_the_shard_of_a_deleted_dialogue(
    llm_archive: CommandLine, database: Database, settings: Settings, sample: Path
):
    llm_archive("import", sample, ARCHIVE_PARTITIONING="sharded")
    [(key, shard)] = query(database, "SELECT partition_key, shard_key FROM raw.dialogues ORDER BY 1 LIMIT 1")
    assert llm_archive("delete", key, ARCHIVE_PARTITIONING="sharded").code == 0
    with instance_for(settings) as instance:
        assert shard in instance.get_dynamic_partitions("dialogue_shards")
