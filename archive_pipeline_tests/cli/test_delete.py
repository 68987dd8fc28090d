"""`llm-archive delete`: a dialogue is gone from everywhere, and comes back as it was."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest
from dagster._core.storage.partition_status_cache import AssetPartitionStatus

from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.orchestration.instance.execution import job_origin
from archive_pipeline.orchestration.instance.in_flight import RANGE_END, RANGE_START
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.partitions.key_sweep import sweep_keys
from archive_pipeline.orchestration.partitions.keys import partitions_definition, register_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.exports import chain, chatgpt, load, write
from archive_pipeline_tests.tables import derived_rows, query, raw_rows

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]


def register(settings: Settings, *keys: str) -> None:
    """Give Dagster partition keys, as builds do."""
    with instance_for(settings) as instance:
        register_keys(instance, settings, keys)


def keys(settings: Settings) -> set[str]:
    with instance_for(settings) as instance:
        return set(instance.get_dynamic_partitions("dialogues"))


def test_a_deleted_dialogue_is_nowhere_and_the_next_import_brings_it_back_as_it_was(
    llm_archive: CommandLine, loaded: Loaded, database: Database, settings: Settings, sample: Path
):
    loaded(sample)
    before = raw_rows(database), derived_rows(database)
    [(key, identifier, messages)] = query(
        database, "SELECT partition_key, id::text, message_count FROM raw.dialogues ORDER BY message_count DESC LIMIT 1"
    )
    register(settings, key)

    result = llm_archive("delete", key, "--json")
    assert result.code == 0
    assert result.json == {"deleted": key, "messages": messages, "is_forever": False}
    assert key not in keys(settings)
    left = raw_rows(database), derived_rows(database)
    assert not [row for tables in left for rows in tables.values() for row in rows if identifier in row]
    assert len(left[0]["dialogues"]) == len(before[0]["dialogues"]) - 1
    assert llm_archive("delete", key).code == 2

    assert llm_archive("import", sample, "--json").json["dialogues"]["new"] == 1
    assert (raw_rows(database), derived_rows(database)) == before
    assert key in keys(settings)


def said_by_events(database: Database, text: str) -> list[str]:
    """The tables of Dagster that have a text; events of a batch as they are put together."""
    events = "SELECT dagster.event_text(event) AS text FROM dagster.event_logs"
    parts = {
        "events": f"SELECT 1 FROM ({events}) AS event WHERE strpos(text, %s) > 0",  # noqa: S608
        "asset_keys": "SELECT 1 FROM dagster.asset_keys WHERE strpos(last_materialization, %s) > 0",
        "shapes": "SELECT 1 FROM dagster.event_shapes WHERE strpos(text, %s) > 0",
    }
    return [name for name, statement in parts.items() if query(database, statement, text)]


@pytest.mark.parametrize("others", [0, 2])
def test_events_keep_nothing_of_a_deleted_dialogue(
    llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path, others: int
):
    path = tmp_path / "conversations.json"
    kept = [chatgpt(f"a{number}", chain("q", "a"), title=f"Kept {number}") for number in range(others)]
    write(path, *kept, chatgpt("secret", chain("Lemon pie", "a"), title="Surprise party"))
    assert llm_archive("import", path).code == 0
    assert set(said_by_events(database, "Surprise party")) >= {"events", "asset_keys"}
    assert said_by_events(database, "Lemon pie")

    assert llm_archive("delete", "chatgpt-secret").code == 0
    assert said_by_events(database, "Surprise party") == said_by_events(database, "Lemon pie") == []
    shown = [f"chatgpt-a{number}" for number in range(others)]
    with instance_for(settings) as instance:
        status = instance.get_status_by_partition(
            dg.AssetKey("dialogue_trees"), [*shown, "chatgpt-secret"], partitions_definition(settings)
        )
        instance.get_latest_materialization_event(dg.AssetKey("dialogue_trees"))
    made = [key for key, state in (status or {}).items() if state is AssetPartitionStatus.MATERIALIZED]
    assert made == shown
    assert bool(said_by_events(database, "Kept 0")) is bool(others)


def test_the_same_command_finishes_an_interrupted_deletion(
    llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    names = ("once", "forever", "kept")
    path = write(tmp_path / "a.json", *(chatgpt(name, chain("q", "a"), title=f"Told {name}") for name in names))
    assert llm_archive("import", path).code == 0
    commands = (("delete", "chatgpt-once"), ("delete", dialogue_id("chatgpt", "forever"), "--forever"))
    with monkeypatch.context() as patch:
        patch.setattr("archive_pipeline.cli.delete.purge_unreferenced", _interrupted)
        assert [llm_archive(*command).code for command in commands] == [130, 130]
    assert said_by_events(database, "Told once")
    again = [llm_archive(*command, "--json") for command in commands]
    assert [result.json for result in again] == [
        {"deleted": "chatgpt-once", "messages": 0, "is_forever": False},
        {"deleted": "chatgpt-forever", "messages": 0, "is_forever": True},
    ]
    assert said_by_events(database, "Told once") == said_by_events(database, "Told forever") == []
    assert keys(settings) == {"chatgpt-kept"}
    assert llm_archive("delete", "chatgpt-once").code == 2


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_dialogue_is_deleted_by_its_id_too(llm_archive: CommandLine, database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", chatgpt("talk", chain("q", "a")))
    result = llm_archive("delete", dialogue_id("chatgpt", "talk"))
    assert result.code == 0
    assert result.out.startswith("deleted chatgpt-talk (")


def test_a_key_under_a_run_is_left_for_the_sweep(
    llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path
):
    load(database, tmp_path / "a.json", *(chatgpt(name, chain("q", "a")) for name in ("one", "two")))
    under_a_run, other = "chatgpt-one", "chatgpt-two"
    register(settings, under_a_run, other)
    tags = {RANGE_START: under_a_run, RANGE_END: under_a_run}
    run = dg.DagsterRun(JOB, status=dg.DagsterRunStatus.QUEUED, tags=tags, remote_job_origin=job_origin(JOB))
    with instance_for(settings) as instance:
        instance.add_run(run)
        left = llm_archive("delete", under_a_run)
        assert (left.code, f"a Dagster run covers the partition {under_a_run}" in left.err) == (0, True)
        assert llm_archive("delete", other).err == ""
        instance.report_run_failed(run)
        assert {under_a_run, other} & keys(settings) == {under_a_run}
        sweep_keys(instance, database, settings)
        assert under_a_run not in keys(settings)
    assert query(database, "SELECT 1 FROM raw.dialogues WHERE partition_key = ANY(%s)", [under_a_run, other]) == []


def test_a_sharded_archive_keeps_the_shard_of_a_deleted_dialogue(
    llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path
):
    load(database, tmp_path / "a.json", *(chatgpt(name, chain("q", "a")) for name in ("one", "two")))
    [(key, shard)] = query(database, "SELECT partition_key, shard_key FROM raw.dialogues ORDER BY 1 LIMIT 1")
    register(settings, key)
    register(settings.model_copy(update={"partitioning": Partitioning.SHARDED}), shard)
    assert llm_archive("delete", key, ARCHIVE_PARTITIONING="sharded").code == 0
    with instance_for(settings) as instance:
        assert shard in instance.get_dynamic_partitions("dialogue_shards")
        assert key not in instance.get_dynamic_partitions("dialogues")  # where it would be an orphan after a switch
