"""Every partition of `dialogue_trees` shows its dialogue, however many were built with it or since."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from archive_pipeline.orchestration.assets.dialogue_view import LINES_IN_RANGE, MOST_TITLE, NAMES
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import Said, chain, chatgpt, load
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

ASSET = dg.AssetKey("dialogue_trees")
LONG = 30
BRANCHED = [Said("u", None, "user", "Why?"), *(Said(f"a{n}", "u", "assistant", f"Because {n}.") for n in range(3))]


def build(instance: dg.DagsterInstance, settings: Settings, keys: list[str], **options: bool) -> None:
    result = run_derived(instance, settings, keys, assets=["dialogue_trees"], **options)
    assert result.success, result.errors


def shown(instance: dg.DagsterInstance, key: str) -> dict[str, Any]:
    """What the last event of a partition shows."""
    records = instance.fetch_materializations(dg.AssetRecordsFilter(asset_key=ASSET, asset_partitions=[key]), limit=1)
    materialization = records.records[0].asset_materialization
    assert materialization is not None
    return {name: value.value for name, value in materialization.metadata.items()}


@pytest.fixture
def keys(empty_archive: Database, tmp_path: Path) -> list[str]:
    long = chain(*(f"text {number}" for number in range(LONG)))
    load(
        empty_archive,
        tmp_path / "a.json",
        chatgpt("long", long, title="<img src=x onerror=alert(1)> " + "x" * 300),
        chatgpt("branched", BRANCHED, title="Why\n**bold**"),
        chatgpt("empty", [], title=None),
    )
    return [key for (key,) in query(empty_archive, "SELECT partition_key FROM raw.dialogues ORDER BY 1")]


def test_each_partition_of_a_range_has_its_own_title_counts_and_tree(
    instance: dg.DagsterInstance, settings: Settings, keys: list[str]
) -> None:
    build(instance, settings, keys)
    branched, empty, long = (shown(instance, key) for key in keys)
    assert (branched["title"], branched["source_id"]) == ("Why **bold**", "chatgpt: branched")
    counts = [branched[name] for name in ("messages", "prompts", "responses", "leaves", "branches")]
    assert counts == [4, 1, 3, 3, 1]
    assert "[regeneration 3 of 3] Because 2." in branched["tree"]
    assert long["messages"] == LONG
    assert f"… {LONG - LINES_IN_RANGE} more messages" in long["tree"]
    assert len(long["title"]) == MOST_TITLE
    assert (empty["title"], empty["messages"]) == ("(untitled)", 0)
    assert {shown["dialogues_built"] for shown in (branched, empty, long)} == {3}


def test_a_partition_without_a_title_shows_how_the_first_prompt_begins(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, tmp_path: Path
) -> None:
    load(empty_archive, tmp_path / "a.json", chatgpt("asked", chain("Why is\nit so?"), title=None))
    build(instance, settings, ["chatgpt-asked"])
    assert shown(instance, "chatgpt-asked")["title"] == "Why is it so?"


def test_a_run_that_finds_all_up_to_date_shows_what_was_shown(
    instance: dg.DagsterInstance, settings: Settings, keys: list[str]
) -> None:
    build(instance, settings, keys[-1:])
    alone = shown(instance, keys[-1])
    assert alone["tree"].count(" text ") == LONG
    for _ in range(2):
        build(instance, settings, keys)
        again = shown(instance, keys[-1])
        assert {name: again.get(name) for name in NAMES} == {name: alone.get(name) for name in NAMES}
        assert "Because 2." in shown(instance, keys[0])["tree"]
    assert again["dialogues_built"] == 0


def test_dialogues_that_cannot_be_built_hide_no_others(
    instance: dg.DagsterInstance, settings: Settings, keys: list[str], empty_archive: Database
) -> None:
    with empty_archive.session() as connection:
        connection.execute(
            "ALTER TABLE derived.dialogue_trees ADD CONSTRAINT none_branches CHECK (branch_count = 0) NOT VALID"
        )
    try:
        build(instance, settings, keys)
    finally:
        with empty_archive.session() as connection:
            connection.execute("ALTER TABLE derived.dialogue_trees DROP CONSTRAINT none_branches")
    assert "tree" not in shown(instance, keys[0])
    assert shown(instance, keys[0])["quarantined"] == 1
    assert shown(instance, keys[2])["messages"] == LONG


def test_each_partition_links_to_the_page_of_its_dialogue_without_a_token(
    instance: dg.DagsterInstance, settings: Settings, keys: list[str]
) -> None:
    build(instance, settings, keys)
    assert "read" not in shown(instance, keys[0])
    linked = settings.with_values(browse_url="http://127.0.0.1:3100")
    # Nothing is stale: what was shown before is read back, and the links are new.
    build(instance, linked, keys)
    links = [shown(instance, key)["read"] for key in keys]
    assert links == [f"http://127.0.0.1:3100/dialogues/{key}" for key in keys]
    assert "Because 2." in shown(instance, keys[0])["tree"]
    build(instance, settings, keys)
    assert "read" not in shown(instance, keys[0]), "the address is gone"
