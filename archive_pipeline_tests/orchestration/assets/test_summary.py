"""The summary asset, its checks, and the pictures in the metadata."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import dagster as dg
import pytest
from sqlalchemy.orm import Session

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.matching import find_or_create_from_messages, respond
from archive_pipeline.orchestration.assets.summary import SUMMARY_JOB, Summary, anomaly_classes
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.checks.summary import (
    key_state_result,
    partition_count_result,
    recent_imports_result,
)
from archive_pipeline.orchestration.partitions.key_sweep import KeyState, sweep_keys
from archive_pipeline.orchestration.partitions.keys import register_keys
from archive_pipeline.orchestration.partitions.partition_migration import register_archive
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.acknowledgements import acknowledge
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import Said, chatgpt, load
from archive_pipeline_tests.orchestration.automation.test_import_job import run as run_import
from archive_pipeline_tests.orchestration.conftest import add_dialogues
from archive_pipeline_tests.variants import some_of

SAMPLE = CHECKOUT / "examples" / "sample_archive"


def summarize(instance: dg.DagsterInstance, settings: Settings) -> dg.ExecuteInProcessResult:
    job = build_defs(settings=settings).resolve_job_def(SUMMARY_JOB)
    return job.execute_in_process(instance=instance, raise_on_error=False)


def metadata_of(result: dg.ExecuteInProcessResult) -> dict[str, object]:
    event = result.get_asset_materialization_events()[0]
    return {name: value.value for name, value in event.step_materialization_data.materialization.metadata.items()}


def checks_of(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckResult]:
    return {evaluation.check_name: evaluation for evaluation in result.get_asset_check_evaluations()}


@pytest.mark.dagster
@pytest.mark.postgres
def test_the_summary_has_numbers_a_report_and_a_picture(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    assert run_import(instance, settings, SAMPLE).success
    before = metadata_of(summarize(instance, settings))
    with empty_archive.session() as connection:
        keys = [row[0] for row in connection.execute("SELECT partition_key FROM raw.dialogues")]
    assert before["dialogues"] == before["stale_dialogues"] == len(keys)
    build_stale(empty_archive, settings)
    result = summarize(instance, settings)
    assert result.success
    after = metadata_of(result)
    assert after["stale_dialogues"] == after["quarantined_dialogues"] == 0
    assert after["dialogues_chatgpt"] + after["dialogues_claude_ai"] == len(keys)
    assert after["shape_trees"] == len(keys)
    assert "| source | dialogues | messages |" in after["report"]
    pictures = re.findall(r"!\[([^]]+)\]\(data:image/svg\+xml,([^) ]+)\)", after["charts"])
    assert {"Messages per month", "Regenerated answers", "Calls of tools"} <= {title for title, _picture in pictures}
    for _title, picture in pictures:
        assert ET.fromstring(unquote(picture)).tag.endswith("svg")  # noqa: S314 (own text)
    assert len(after["charts"]) < 250_000
    checks = checks_of(result)
    assert checks["incremental_equals_rebuild"].passed
    assert checks["incremental_equals_rebuild"].metadata["dialogues"].value == min(20, len(keys))
    assert checks["incremental_equals_rebuild"].metadata["rows"].value > 100
    surprises = checks["no_surprises"]
    assert surprises.severity == dg.AssetCheckSeverity.WARN
    assert surprises.passed == (surprises.metadata["surprises"].value == 0)
    imports = {name: value.value for name, value in checks["imports_are_recent"].metadata.items()}
    assert 0 <= imports.pop("hours_since_last_import") < 1
    with empty_archive.session() as connection:
        [(files,)] = connection.execute("SELECT count(*) FROM raw.imports").fetchall()
    assert imports == {
        "imports_last_day": files,
        "new_last_day": len(keys),
        "changed_last_day": 0,
        "unchanged_last_day": 0,
        "rejected_last_day": 0,
    }


@pytest.mark.dagster
@pytest.mark.postgres
def test_the_summary_plots_what_became_of_look_ups(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    """The same names each time, so that a plot has no gap; the log is what counts, whoever asks later."""
    none = {name: value for name, value in metadata_of(summarize(instance, settings)).items() if "look_ups" in name}
    assert set(none.values()) == {0}
    hi = [{"role": "user", "content": "Hi"}]
    with Session(empty_archive.engine) as session:
        for _ in range(4):
            respond(session, hi, call=lambda _: "Hello", model="m")
        find_or_create_from_messages(session, hi, response="Hello", model="n")
        session.commit()
    after = metadata_of(summarize(instance, settings))
    assert {name: after[name] for name in none} == {
        "look_ups": 5,
        "look_ups_found": 3,
        "look_ups_generated_equal": 1,
        "look_ups_generated_new": 1,
        "look_ups_missed": 0,
    }
    assert (after["hit_rate"], after["hit_rate_respond"], after["hit_rate_find_or_create"]) == (0.6, 0.75, 0.0)
    assert "| respond | 4 | 3 | 0 | 1 | 0 |" in after["report"]


def plotted(result: dg.ExecuteInProcessResult) -> dict[str, set[str]]:
    """The numbers of each check, by name."""
    return {
        name: {key for key, value in check.metadata.items() if isinstance(value.value, (int, float))}
        for name, check in checks_of(result).items()
    }


@pytest.mark.dagster
@pytest.mark.postgres
def test_every_check_has_the_same_numbers_each_time(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    add_dialogues(empty_archive, 2)
    build_stale(empty_archive, settings)
    register_archive(instance, empty_archive, settings)
    before = plotted(summarize(instance, settings))
    with empty_archive.session() as connection:
        connection.execute("UPDATE derived.exchanges SET started_at = now()")
        connection.execute("UPDATE raw.dialogues SET diagnostics = '{\"cycle\": 2}'")
    after = plotted(summarize(instance, settings))
    assert {"surprises", "orphans", "cycles", "rejected_records"} < before["no_surprises"]
    for name, numbers in before.items():
        assert numbers, name
        assert numbers <= after[name], name


@pytest.mark.dagster
@pytest.mark.postgres
def test_an_empty_archive_has_a_summary_too(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    register_keys(instance, settings, ["chatgpt-nobody"])
    check = checks_of(summarize(instance, settings))["partition_keys_match_dialogues"]
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    sweep_keys(instance, empty_archive, settings)
    result = summarize(instance, settings)
    assert result.success
    assert metadata_of(result)["dialogues"] == 0
    assert all(evaluation.passed for evaluation in checks_of(result).values())


@pytest.mark.dagster
@pytest.mark.postgres
def test_surprises_are_counted_until_they_are_acknowledged(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, tmp_path: Path
) -> None:
    path = tmp_path / "conversations.json"
    orphan = chatgpt("c1", [Said("m1", "gone", "user", "a")])
    load(empty_archive, path, orphan, 7)  # type: ignore[arg-type]
    check = checks_of(summarize(instance, settings))["no_surprises"]
    figures = {name: value.value for name, value in check.metadata.items()}
    assert not check.passed
    assert (figures["surprises"], figures["orphans"], figures["rejected_records"]) == (2, 1, 1)
    with empty_archive.session() as connection:
        assert acknowledge(connection).counts == {"failed_imports": 0, "rejected_records": 1, "surprises": 1}
        assert acknowledge(connection).counts == {"failed_imports": 0, "rejected_records": 0, "surprises": 0}
    assert checks_of(summarize(instance, settings))["no_surprises"].passed
    load(empty_archive, path, orphan, chatgpt("c2", [Said("m1", "gone", "user", "a")]))
    later = checks_of(summarize(instance, settings))["no_surprises"]
    assert not later.passed
    assert later.metadata["surprises"].value == later.metadata["orphans"].value == 1


FAULTS = {
    "message_paths": "UPDATE derived.message_paths SET is_on_active_path = NOT is_on_active_path WHERE depth = 0",
    "prompt_response_content": "UPDATE derived.prompt_response_content SET prompt_word_count = 77",
    "exchanges": "UPDATE derived.exchanges SET started_at = now()",
    "qa_pairs": "DELETE FROM derived.qa_pairs",
    "dialogue_pages": "UPDATE derived.dialogue_pages SET is_on_primary_path = FALSE",
    "qa_chunks": "UPDATE derived.qa_chunks SET is_near_duplicate = TRUE",
}


@pytest.mark.dagster
@pytest.mark.postgres
@pytest.mark.parametrize("table", some_of(FAULTS))
def test_rows_that_a_rebuild_would_not_give_are_an_error(
    table: str, instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    add_dialogues(empty_archive, 3)
    build_stale(empty_archive, settings)
    with empty_archive.session() as connection:
        connection.execute(FAULTS[table])
    check = checks_of(summarize(instance, settings))["incremental_equals_rebuild"]
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert check.metadata[f"differing_{table}"].value > 0
    assert [name for name in check.metadata if name.startswith("differing_")] == [f"differing_{table}"]


@pytest.mark.parametrize(
    ("keys", "passed", "severity"),
    [
        (0, True, dg.AssetCheckSeverity.WARN),
        (49_999, True, dg.AssetCheckSeverity.WARN),
        (50_000, False, dg.AssetCheckSeverity.WARN),
        (99_999, False, dg.AssetCheckSeverity.WARN),
        (100_000, False, dg.AssetCheckSeverity.ERROR),
    ],
)
def test_too_many_partitions_say_what_to_do(keys: int, passed: bool, severity: dg.AssetCheckSeverity) -> None:
    result = partition_count_result(keys, Partitioning.PER_DIALOGUE)
    assert (result.passed, result.severity) == (passed, severity)
    assert passed or "ARCHIVE_PARTITIONING=sharded" in result.description
    assert passed or "`llm-archive partitions --register`" in result.description


@pytest.mark.parametrize(
    ("hours", "days", "passed"),
    [(None, 0, True), (None, 1, False), (1e6, 0, True), (24.0, 1, True), (24.1, 1, False), (24.1, 2, True)],
)
def test_an_import_long_ago_is_a_warning_if_one_asks_for_it(hours: float | None, days: int, passed: bool) -> None:
    figures = {"hours_since_last_import": hours, "imports_last_day": 0}
    result = recent_imports_result(figures, days)
    assert (result.passed, result.severity) == (passed, dg.AssetCheckSeverity.WARN)
    assert passed == (result.description is None)
    assert set(result.metadata) == ({"imports_last_day"} if hours is None else set(figures))


def test_missing_and_orphaned_keys_name_the_command() -> None:
    assert key_state_result(KeyState(3, [], [])).passed
    for state in (KeyState(3, ["a"], []), KeyState(3, [], ["a"])):
        result = key_state_result(state)
        assert not result.passed
        assert "`llm-archive partitions --register`" in result.description


def test_every_class_of_surprises_has_a_number() -> None:
    nothing = Summary({}, [], [], {}, [], {}, {}, 0, [])
    assert anomaly_classes(nothing) == {
        "orphans": 0,
        "cycles": 0,
        "sanitized_characters": 0,
        "unknown_parts": 0,
        "other": 0,
    }
    names = ["missing_parent", "cycle", "sanitized_nul", "invalid_utf8", "unknown_part:a", "unknown_part:b", "rest"]
    found = [{"name": name, "occurrences": 2**place} for place, name in enumerate(names)]
    assert anomaly_classes(replace(nothing, anomalies=found)) == {
        "orphans": 1,
        "cycles": 2,
        "sanitized_characters": 4 + 8,
        "unknown_parts": 16 + 32,
        "other": 64,
    }
