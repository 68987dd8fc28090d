"""Quarantine: what is recorded of dialogues that cannot be built, and what ends it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from archive_pipeline.building import dialogue_source
from archive_pipeline.building.dialogues import build_asset, build_stale
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import (
    DialogueRef,
    QuarantinedDialogue,
    dialogues_of_keys,
    quarantined_dialogues,
    stale_dialogues,
)
from archive_pipeline_tests.building.sides import SIDES
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import derived_rows, query

pytestmark = pytest.mark.postgres

ASSET = "exchanges"
TABLES = ("exchanges", "exchange_content")


@pytest.fixture
def ids(database: Database) -> list[str]:
    """Seven dialogues in the order in which they are built."""
    return SIDES["dialogues"].store(database)


def _fail_deriving(monkeypatch: pytest.MonkeyPatch, bad: list[str]) -> None:
    SIDES["dialogues"].poison("derive", None, monkeypatch, bad)


def stale(database: Database, settings: Settings, asset: str = ASSET) -> list[DialogueRef]:
    with database.session() as connection:
        return stale_dialogues(connection, asset, effective_version(asset, settings))


def quarantined(database: Database, settings: Settings, *assets: str) -> list[QuarantinedDialogue]:
    with database.session() as connection:
        return quarantined_dialogues(connection, {name: effective_version(name, settings) for name in assets or ASSETS})


def built(database: Database, asset: str = ASSET) -> list[str]:
    statement = "SELECT dialogue_id::text FROM derived.build_state WHERE asset = %s ORDER BY 1"
    return [dialogue for (dialogue,) in query(database, statement, asset)]


def with_rows(database: Database) -> list[str]:
    return [row for (row,) in query(database, "SELECT DISTINCT dialogue_id::text FROM derived.exchanges ORDER BY 1")]


def test_other_assets_have_the_dialogue_and_the_error_says_why(
    database: Database, settings: Settings, ids: list[str], monkeypatch: pytest.MonkeyPatch
):
    _fail_deriving(monkeypatch, ids[:1])
    results = build_stale(database, settings)
    assert {name for name, result in results.items() if result.failures} == {ASSET}
    assert all(built(database, name) == ids for name in ASSETS if name != ASSET)
    [failed] = quarantined(database, settings)
    assert (failed.dialogue_id, failed.asset, failed.error) == (ids[0], ASSET, "ValueError: parents in a circle")
    [(error,)] = query(database, "SELECT error FROM derived.build_errors")
    assert error.splitlines()[-1].startswith("  sides.py:")
    assert error.splitlines()[-1].endswith(" in _refuse")


@pytest.mark.parametrize("kind", ["read", "derive", "encode"])
def test_rows_of_older_content_go_with_the_record_of_them(
    database: Database, settings: Settings, ids: list[str], monkeypatch: pytest.MonkeyPatch, kind: str
):
    build_stale(database, settings)
    before = derived_rows(database)
    query(database, "UPDATE raw.dialogues SET fingerprint = 'changed' WHERE id = ANY(%s) RETURNING 1", ids[:2])
    SIDES["dialogues"].poison(kind, database, monkeypatch, ids[1:2])
    build_stale(database, settings)
    good = [dialogue for dialogue in ids if dialogue != ids[1]]
    assert built(database) == with_rows(database) == good
    changed = {table for table, rows in derived_rows(database).items() if rows != before[table]}
    assert changed >= set(TABLES)
    assert stale(database, settings) == []


@pytest.mark.parametrize("change", ["content", "code", "setting"])
def test_other_content_and_other_code_are_tried_again_and_success_ends_the_quarantine(
    database: Database, settings: Settings, ids: list[str], monkeypatch: pytest.MonkeyPatch, change: str
):
    good = ASSETS["content_hashes"]

    def derive(_batch, _settings):
        raise ValueError("no hash today")

    monkeypatch.setitem(ASSETS, "content_hashes", replace(good, derive=derive))
    build_asset(database, settings, "content_hashes", stale(database, settings, "content_hashes")[:1])
    assert len(quarantined(database, settings, "content_hashes")) == 1
    assert [ref.id for ref in stale(database, settings, "content_hashes")] == ids[1:]
    monkeypatch.setitem(ASSETS, "content_hashes", good)
    if change == "content":
        query(database, "UPDATE raw.dialogues SET fingerprint = 'other' WHERE id = %s RETURNING 1", ids[0])
    elif change == "code":
        monkeypatch.setitem(ASSETS, "content_hashes", replace(good, code_version="next"))
    else:
        settings = settings.with_values(simhash_version=1)
    assert quarantined(database, settings, "content_hashes") == []
    assert [ref.id for ref in stale(database, settings, "content_hashes")] == ids
    build_asset(database, settings, "content_hashes", stale(database, settings, "content_hashes"))
    assert query(database, "SELECT 1 FROM derived.build_errors") == []
    assert built(database, "content_hashes") == ids


@pytest.mark.parametrize(
    "later",
    [
        chatgpt("c1", chain("a", "b", start=1_600_000_000.0), updated=20.0),
        chatgpt("c1", chain("a", "b"), updated=10.0, gizmo_id="g-p-1"),
    ],
    ids=["times of messages", "project"],
)
def test_what_a_later_export_changed_beside_the_content_ends_the_quarantine(
    database: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: dict[str, Any]
):
    path = tmp_path / "conversations.json"
    load(database, path, chatgpt("c1", chain("a", "b"), updated=10.0))
    [dialogue] = stale(database, settings)
    _fail_deriving(monkeypatch, [dialogue.id])
    build_asset(database, settings, ASSET, [dialogue])
    assert stale(database, settings) == []
    load(database, path, later)
    assert stale(database, settings) == [dialogue]


def test_quarantined_dialogues_are_among_those_of_their_keys_only_if_asked_for(
    database: Database, settings: Settings, ids: list[str], monkeypatch: pytest.MonkeyPatch
):
    _fail_deriving(monkeypatch, ids[:1])
    refs = stale(database, settings)
    build_asset(database, settings, ASSET, refs[:2])

    def found(**included: bool) -> list[str]:
        with database.session() as connection:
            version = effective_version(ASSET, settings)
            keys = [ref.partition_key for ref in refs[:3]]
            partitioning = Partitioning.PER_DIALOGUE
            chosen = dialogues_of_keys(connection, ASSET, version, keys, partitioning=partitioning, **included)
        return [ref.id for ref in chosen]

    assert found() == [ids[2]]
    assert found(include_quarantined=True) == [ids[0], ids[2]]
    assert found(include_current=True) == [ids[1], ids[2]]
    assert found(include_current=True, include_quarantined=True) == ids[:3]


def test_a_fault_of_the_database_while_a_chunk_is_bisected_fails_the_build(
    database: Database, settings: Settings, ids: list[str], monkeypatch: pytest.MonkeyPatch
):
    _fail_deriving(monkeypatch, ids[:1])
    original = dialogue_source.replace_rows

    def write(connection, asset, rows, *, fingerprints, code_version):
        if ids[6] in fingerprints:
            raise psycopg.errors.AdminShutdown("going down")
        return original(connection, asset, rows, fingerprints=fingerprints, code_version=code_version)

    monkeypatch.setattr(dialogue_source, "replace_rows", write)
    with pytest.raises(psycopg.errors.AdminShutdown):
        build_asset(database, settings, ASSET, stale(database, settings))
    assert quarantined(database, settings) == []
    assert set(built(database)) < set(ids[1:])


def test_a_dialogue_deleted_while_its_chunk_is_bisected_is_no_failure(
    database: Database, settings: Settings, ids: list[str], monkeypatch: pytest.MonkeyPatch
):
    _fail_deriving(monkeypatch, [ids[0], ids[5]])
    refs = stale(database, settings)
    query(database, "DELETE FROM raw.dialogues WHERE id = ANY(%s) RETURNING 1", ids[4:6])
    result = build_asset(database, settings, ASSET, refs)
    assert (result.built, len(result.failures)) == (4, 1)
    assert built(database) == [ids[1], ids[2], ids[3], ids[6]]
    assert [dialogue.dialogue_id for dialogue in quarantined(database, settings)] == ids[:1]


def test_a_dialogue_deleted_before_it_is_quarantined_leaves_nothing(
    database: Database, settings: Settings, ids: list[str], monkeypatch: pytest.MonkeyPatch
):
    asset = ASSETS[ASSET]

    def derive(batch, _settings):
        query(database, "DELETE FROM raw.dialogues WHERE id = %s RETURNING 1", ids[0])
        raise ValueError("and gone")

    monkeypatch.setitem(ASSETS, ASSET, replace(asset, derive=derive))
    build_asset(database, settings, ASSET, stale(database, settings)[:1])
    assert query(database, "SELECT 1 FROM derived.build_errors") == []


def test_deleting_a_dialogue_takes_its_errors(
    database: Database, settings: Settings, ids: list[str], monkeypatch: pytest.MonkeyPatch
):
    _fail_deriving(monkeypatch, ids[:1])
    build_asset(database, settings, ASSET, stale(database, settings))
    query(database, "DELETE FROM raw.dialogues WHERE id = %s RETURNING 1", ids[0])
    assert query(database, "SELECT 1 FROM derived.build_errors") == []
