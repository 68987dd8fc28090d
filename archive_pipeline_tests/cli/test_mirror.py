"""`llm-archive import --mirror`: gone from Dagster too, told in the summary, refused with exit code 1."""

from __future__ import annotations

import json
from pathlib import Path

import dagster as dg
import pytest

from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.orchestration.partitions.keys import register_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.exports import chain, chatgpt
from archive_pipeline_tests.tables import counts, query

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]


def export(path: Path, *names: str) -> Path:
    path.write_text(json.dumps([chatgpt(name, chain("a", "b")) for name in names]))
    return path


@pytest.mark.parametrize("partitioning", ["per_dialogue", "sharded"])
def test_removed_dialogues_are_nowhere_and_told(
    partitioning: str,
    llm_archive: CommandLine,
    loaded: Loaded,
    database: Database,
    settings: Settings,
    tmp_path: Path,
):
    path = tmp_path / "conversations.json"
    loaded(export(path, "m1", "m2", "m3"))
    with instance_for(settings) as instance:
        # Builds give Dagster the others; the first one is as a mirroring that was killed leaves it.
        register_keys(instance, settings, [f"chatgpt-m{number}" for number in range(4)])
    result = llm_archive("import", export(path, "m1", "m2"), "--mirror", "--json", ARCHIVE_PARTITIONING=partitioning)
    assert result.code == 0
    assert result.json["mirror"] == {"removed": {"chatgpt": ["chatgpt-m3"]}, "refused": None, "kept": []}
    assert query(database, "SELECT source_id FROM raw.dialogues ORDER BY 1") == [("m1",), ("m2",)]
    assert counts(database)["dialogue_trees"] == 2
    with instance_for(settings) as instance:
        keys = instance.get_dynamic_partitions("dialogues")
        assert {"chatgpt-m1", "chatgpt-m2"} <= set(keys)
        assert not {"chatgpt-m0", "chatgpt-m3"} & set(keys)
        event = instance.get_latest_materialization_event(dg.AssetKey(["raw", "dialogues"]))
    assert event is not None
    assert event.asset_materialization.metadata["dialogues_removed"].value == 1
    assert event.asset_materialization.metadata["removed"].value == ["chatgpt-m3"]


def test_any_import_that_changes_something_takes_out_keys_that_a_killed_mirroring_left(
    llm_archive: CommandLine, settings: Settings, tmp_path: Path
):
    with instance_for(settings) as instance:
        register_keys(instance, settings, ["chatgpt-m0"])
    assert llm_archive("import", export(tmp_path / "conversations.json", "m1")).code == 0
    with instance_for(settings) as instance:
        assert instance.get_dynamic_partitions("dialogues") == ["chatgpt-m1"]


def test_people_see_how_many_were_removed(llm_archive: CommandLine, loaded: Loaded, tmp_path: Path):
    path = tmp_path / "conversations.json"
    loaded(export(path, "m1", "m2"))
    result = llm_archive("import", export(path, "m1"), "--mirror")
    assert result.code == 0
    lines = [line.split() for line in result.out.splitlines()]
    assert ["chatgpt", "1"] in [line[:2] for line in lines]


def test_a_refusal_is_one_line_and_all_else_is_done(
    llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    loaded(export(path, "m1", "m2", "m3"))
    result = llm_archive("import", export(path, "m1", "m4"), "--mirror", "--json")
    assert result.code == 1
    assert "2 of the 3 dialogues of chatgpt, more than 50 percent" in result.error
    assert result.json["mirror"]["refused"] == result.error
    assert counts(database)["dialogue_trees"] == 4
    assert llm_archive("import", path, "--mirror", "--mirror-limit", "67").code == 0
    assert counts(database)["dialogue_trees"] == 2


def test_a_part_cannot_be_mirrored(llm_archive: CommandLine, database: Database, tmp_path: Path):
    result = llm_archive("import", export(tmp_path / "conversations.json", "m1"), "--mirror", "--partial")
    assert result.code == 2
    assert "--mirror is for exports that have everything" in result.err
    assert counts(database)["dialogues"] == 0
