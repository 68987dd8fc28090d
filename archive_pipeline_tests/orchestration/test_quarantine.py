"""Runs over a range with a dialogue that cannot be built: the others are built, a check is red, nobody tries again."""

from __future__ import annotations

import dagster as dg
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.orchestration.assets.summary import SUMMARY_JOB
from archive_pipeline.orchestration.checks.quarantine import QUARANTINE_CHECK, quarantine_result
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.orchestration.partitions import stale_keys
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import QuarantinedDialogue
from archive_pipeline_tests.orchestration.assets.test_summary import checks_of, metadata_of, summarize
from archive_pipeline_tests.orchestration.automation.test_sensors import COUNT_AT_ONCE, keys_of, run, tick
from archive_pipeline_tests.orchestration.conftest import add_dialogues
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


# Enough of a run where all that counts is whether it tries: with all assets it takes five times as long.
PATHS = ["message_paths"]
STATEMENTS = {
    "build_state": "SELECT asset FROM derived.build_state WHERE dialogue_id = %s",
    "build_errors": "SELECT asset FROM derived.build_errors WHERE dialogue_id = %s",
}


def tie_in_a_circle(database: Database, key: str) -> None:
    """Make a dialogue's first message the child of its last one, which no import does."""
    with database.session() as connection:
        connection.execute(
            "UPDATE raw.messages SET parent_id = (SELECT id FROM raw.messages AS last WHERE last.sequence_number = 3"
            " AND last.dialogue_id = messages.dialogue_id) WHERE sequence_number = 0 AND dialogue_id ="
            " (SELECT id FROM raw.dialogues WHERE partition_key = %s)",
            [key],
        )


def untie(database: Database, key: str, *, fingerprint: str | None = None) -> None:
    with database.session() as connection:
        connection.execute("UPDATE raw.messages SET parent_id = NULL WHERE sequence_number = 0")
        if fingerprint is not None:
            connection.execute("UPDATE raw.dialogues SET fingerprint = %s WHERE partition_key = %s", [fingerprint, key])
        connection.execute(COUNT_AT_ONCE)


def materialized(result: dg.ExecuteInProcessResult, asset: str) -> dict[str, object]:
    event = next(event for event in result.get_asset_materialization_events() if event.asset_key == dg.AssetKey(asset))
    return {name: value.value for name, value in event.step_materialization_data.materialization.metadata.items()}


def quarantine_checks(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckEvaluation]:
    return {
        evaluation.asset_key.to_user_string(): evaluation
        for evaluation in result.get_asset_check_evaluations()
        if evaluation.check_name == QUARANTINE_CHECK
    }


def assets_of(database: Database, table: str, key: str) -> set[str]:
    rows = query(database, "SELECT id FROM raw.dialogues WHERE partition_key = %s", key)
    return {asset for (asset,) in query(database, STATEMENTS[table], rows[0][0])}


def test_one_dialogue_is_quarantined_until_its_content_changes(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    keys = add_dialogues(empty_archive, 5)
    poison = keys[2]
    tie_in_a_circle(empty_archive, poison)
    first = tick("stale_dialogues", instance, archive)
    result = run(first.run_requests[0], instance, archive.settings)
    assert result.success
    failed = assets_of(empty_archive, "build_errors", poison)
    assert "message_paths" in failed
    assert assets_of(empty_archive, "build_state", poison) == set(ASSETS) - failed
    for key in keys:
        if key != poison:
            assert assets_of(empty_archive, "build_state", key) == set(ASSETS)

    metadata = materialized(result, "message_paths")
    assert (metadata["dialogues_built"], metadata["quarantined"], metadata["up_to_date"]) == (4, 1, 0)
    checks = quarantine_checks(result)
    assert {name for name, check in checks.items() if not check.passed} == failed
    red = checks["message_paths"]
    assert (red.severity, red.blocking) == (dg.AssetCheckSeverity.ERROR, False)
    assert red.metadata["quarantined"].value == 1
    assert f"1 dialogue cannot be built: {poison}: " in str(red.description)

    second = tick("stale_dialogues", instance, archive, first.cursor)
    assert [request.job_name for request in second.run_requests] == [SUMMARY_JOB]
    summary = summarize(instance, archive.settings)
    figures = metadata_of(summary)
    assert (figures["stale_dialogues"], figures["quarantined_dialogues"]) == (0, 1)
    compared = checks_of(summary)["incremental_equals_rebuild"]
    assert (compared.passed, compared.metadata["dialogues"].value) == (True, 4)
    third = tick("stale_dialogues", instance, archive, second.cursor)
    assert third.run_requests == []

    untie(empty_archive, poison, fingerprint="repaired")
    again = tick("stale_dialogues", instance, archive, third.cursor)
    assert [keys_of(request, instance) for request in again.run_requests] == [[poison]]
    healed = run(again.run_requests[0], instance, archive.settings)
    assert healed.success
    assert all(check.passed for check in quarantine_checks(healed).values())
    assert assets_of(empty_archive, "build_state", poison) == set(ASSETS)
    assert assets_of(empty_archive, "build_errors", poison) == set()


def test_a_run_of_the_dialogue_alone_succeeds_and_tries_only_if_told_to(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    keys = add_dialogues(empty_archive, 3)
    tie_in_a_circle(empty_archive, keys[0])
    alone = run_derived(instance, settings, keys[:1], assets=PATHS)
    assert (alone.success, alone.failed_checks, alone.rows["message_paths"]) == (True, (), 0)
    untie(empty_archive, keys[0])
    assert run_derived(instance, settings, keys, assets=PATHS).rows["message_paths"] == 8
    assert run_derived(instance, settings, keys, assets=PATHS, retry=True).rows["message_paths"] == 4
    assert assets_of(empty_archive, "build_errors", keys[0]) == set()


def test_full_tries_what_is_quarantined_too(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    keys = add_dialogues(empty_archive, 2)
    tie_in_a_circle(empty_archive, keys[0])
    build_stale(empty_archive, settings)
    untie(empty_archive, keys[0])
    assert run_derived(instance, settings, keys, assets=PATHS, full=True).rows["message_paths"] == 8


def test_the_check_is_red_after_a_run_over_other_dialogues_too(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    keys = add_dialogues(empty_archive, 2)
    tie_in_a_circle(empty_archive, keys[0])
    build_stale(empty_archive, archive.settings)
    later = add_dialogues(empty_archive, 1)
    wanted = tick("stale_dialogues", instance, archive)
    assert [keys_of(request, instance) for request in wanted.run_requests if request.job_name == JOB] == [later]
    result = run(wanted.run_requests[0], instance, archive.settings)
    assert not quarantine_checks(result)["message_paths"].passed
    assert materialized(result, "message_paths")["quarantined"] == 0


def test_a_shard_with_a_quarantined_dialogue_is_not_stale(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    keys = add_dialogues(empty_archive, 4)
    tie_in_a_circle(empty_archive, keys[0])
    sharded = settings.with_values(partitioning=Partitioning.SHARDED)
    with empty_archive.session() as connection:
        shards = [item.key for item in stale_keys.stale_keys(connection, sharded)]
    outcome = run_derived(instance, sharded, shards)
    assert (outcome.success, outcome.rows["message_paths"]) == (True, 12)
    for each in (sharded, settings):
        with empty_archive.session() as connection:
            assert stale_keys.stale_keys(connection, each) == []


def test_five_are_named() -> None:
    failed = [QuarantinedDialogue(f"id{n}", f"key{n}", "s0001", "exchanges", f"ValueError: {n}") for n in range(7)]
    result = quarantine_result(failed)
    assert str(result.description).startswith(
        "7 dialogues cannot be built: key0: ValueError: 0; key1: ValueError: 1; key2: ValueError: 2; "
        "key3: ValueError: 3; key4: ValueError: 4; 2 more. "
    )
    assert result.metadata["quarantined"].value == 7
    assert len(result.metadata["examples"].records) == 5
    assert quarantine_result([]).passed
