"""The packaged `dagster.yaml`: its defaults with nothing set, the environment's values with everything set."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from click.testing import CliRunner
from dagster._cli import create_dagster_cli
from dagster._core.instance.ref import InstanceRef
from dagster._core.run_coordinator import QueuedRunCoordinator
from dagster._core.scheduler.instigation import InstigatorType

from archive_pipeline.orchestration.instance.archive_instance import ArchiveInstance, at_home, replaced
from archive_pipeline.orchestration.instance.opening import CONFIGURATION, packaged_configuration
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

EVERYTHING = {
    "ARCHIVE_CONCURRENT_RUNS": "7",
    "ARCHIVE_RUN_RETRIES": "0",
    "ARCHIVE_RUN_START_SECONDS": "1200",
    "ARCHIVE_TICK_RETENTION_DAYS": "5",
}


@contextmanager
def loaded(
    folder: Path, settings: Settings, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[dg.DagsterInstance]:
    """The instance as a process of Dagster makes it: from DAGSTER_HOME and the environment, nothing else."""
    shutil.copyfile(packaged_configuration(), folder / CONFIGURATION)
    for name in [name for name in os.environ if name.startswith("ARCHIVE_")]:
        monkeypatch.delenv(name)
    for name, value in {**environment, "ARCHIVE_HOME": str(settings.home), "DAGSTER_HOME": str(folder)}.items():
        monkeypatch.setenv(name, value)
    with dg.DagsterInstance.get() as instance:
        yield instance


def tick_days(instance: dg.DagsterInstance, kind: InstigatorType) -> dict[str, int]:
    return {status.value: days for status, days in instance.get_tick_retention_settings(kind).items()}


def values(instance: dg.DagsterInstance) -> dict[str, Any]:
    queue = instance.get_concurrency_config().run_queue_config
    assert queue is not None
    return {
        "runs": queue.max_concurrent_runs,
        "retries": instance.run_retries_max_retries,
        "start": instance.run_monitoring_start_timeout_seconds,
        "schedule": tick_days(instance, InstigatorType.SCHEDULE),
        "sensor": tick_days(instance, InstigatorType.SENSOR),
    }


def test_without_the_file_of_a_secret_programs_of_dagster_end_with_one_line(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    with loaded(tmp_path, settings, {}, monkeypatch):
        monkeypatch.setenv("ARCHIVE_DATABASE_URL_FILE", str(secret))
        ended = CliRunner().invoke(create_dagster_cli(), ["instance", "migrate"])
    reason = "cannot be read: No such file or directory"
    assert (ended.exit_code, ended.output) == (1, f"Error: ARCHIVE_DATABASE_URL_FILE={secret} {reason}\n")


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning", "error::ResourceWarning")
def test_opening_leaves_no_connection_to_the_garbage_collector(
    settings: Settings, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with warnings.catch_warnings():
        # What tests before this one left: Dagster ends code servers and does not wait for their processes.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    with loaded(tmp_path, settings, {}, monkeypatch) as instance:
        instance.get_runs_count()  # other tests may have left some; it takes a connection
        gc.collect()


def test_with_nothing_set_the_values_of_the_file_hold(
    settings: Settings, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with loaded(tmp_path, settings, {}, monkeypatch) as instance:
        assert isinstance(instance, ArchiveInstance)
        assert isinstance(instance.run_coordinator, QueuedRunCoordinator)
        assert values(instance) == {
            "runs": 2,
            "retries": 3,
            "start": 120,
            "schedule": {"SKIPPED": 7, "SUCCESS": 30, "FAILURE": 90, "STARTED": 30},
            "sensor": {"SKIPPED": 1, "SUCCESS": 30, "FAILURE": 90, "STARTED": 30},
        }
        assert (instance.run_retries_enabled, instance.run_retries_retry_on_asset_or_op_failure) == (True, False)
        assert (instance.run_monitoring_enabled, instance.run_monitoring_cancel_timeout_seconds) == (True, 180)
        assert (instance.telemetry_enabled, instance.nux_enabled) == (False, False)


def test_the_queue_waits_for_the_process_with_the_code_also_where_the_file_is_of_an_earlier_version(
    settings: Settings, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waits(instance: dg.DagsterInstance) -> tuple[int, int]:
        queue = instance.get_concurrency_config().run_queue_config
        assert queue is not None
        return queue.max_user_code_failure_retries, queue.user_code_failure_retry_delay

    with loaded(tmp_path, settings, {}, monkeypatch) as instance:
        assert waits(instance) == (60, 10)
        lines = (tmp_path / CONFIGURATION).read_text(encoding="utf-8").splitlines()
        for own, expected in (("  user_code_failure_retry_delay: 7", (60, 7)), ("", (60, 10))):
            written = [own if "_retry_delay" in line else line for line in lines if "_failure_retries" not in line]
            (tmp_path / CONFIGURATION).write_text("\n".join(written), encoding="utf-8")
            with dg.DagsterInstance.get() as earlier:
                assert waits(earlier) == expected
                assert earlier.run_coordinator.dequeue_interval_seconds == 2  # type: ignore[union-attr]


def test_with_everything_set_the_environment_replaces_them(
    settings: Settings, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with loaded(tmp_path, settings, EVERYTHING, monkeypatch) as instance:
        assert values(instance) == {
            "runs": 7,
            "retries": 0,
            "start": 1200,
            "schedule": {"SKIPPED": 7, "SUCCESS": 5, "FAILURE": 5, "STARTED": 5},
            "sensor": {"SKIPPED": 1, "SUCCESS": 5, "FAILURE": 5, "STARTED": 5},
        }
        assert (instance.run_retries_enabled, instance.run_monitoring_enabled) == (True, True)


def test_files_of_dagster_are_in_the_archives_home_wherever_its_configuration_is(
    settings: Settings, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with loaded(tmp_path, settings, {}, monkeypatch) as instance:
        log = Path(instance.compute_log_manager.get_captured_local_path(["a"], "out"))  # type: ignore[attr-defined]
        assert log.is_relative_to(settings.home / "storage")
        assert Path(instance.storage_directory()).is_relative_to(settings.home)
    assert [path.name for path in tmp_path.iterdir()] == [CONFIGURATION]


def test_another_process_makes_the_same_instance_of_its_reference(
    settings: Settings, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        loaded(tmp_path, settings, EVERYTHING, monkeypatch) as instance,
        dg.DagsterInstance.from_ref(instance.get_ref()) as again,
    ):
        assert values(again) == values(instance)


def test_a_worker_elsewhere_keeps_dagsters_files_in_its_own_home(
    settings: Settings, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with loaded(tmp_path, settings, {}, monkeypatch) as instance:
        launched_with = instance.get_ref()
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setenv("ARCHIVE_HOME", str(elsewhere))
    monkeypatch.setenv("ARCHIVE_DATABASE_URL", database.url)
    with dg.DagsterInstance.from_ref(launched_with) as worker:
        log = Path(worker.compute_log_manager.get_captured_local_path(["a"], "out"))  # type: ignore[attr-defined]
        assert log.is_relative_to(elsewhere / "storage")
        assert Path(worker.storage_directory()).is_relative_to(elsewhere)
        assert at_home(worker.get_ref(), elsewhere) == worker.get_ref()


def test_logs_that_the_file_sends_elsewhere_are_sent_there_by_a_worker_too(
    settings: Settings, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with loaded(tmp_path, settings, {}, monkeypatch):
        given = {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}
        ref = InstanceRef.from_dir(str(tmp_path), overrides={"compute_logs": given})
    moved = at_home(ref, tmp_path / "elsewhere")
    assert moved.compute_logs_data == ref.compute_logs_data
    assert moved.local_artifact_storage.base_dir == str(tmp_path / "elsewhere")


def test_what_the_file_does_not_have_can_be_set_too() -> None:
    found = replaced(
        {"nux": {"enabled": False}, "retention": {"sensor": {"purge_after_days": 3}}}, Settings(concurrent_runs=3)
    )
    assert found["concurrency"] == {"runs": {"max_concurrent_runs": 3}}
    assert found["retention"] == {"sensor": {"purge_after_days": 3}}
    assert replaced({}, Settings()) == {}


@pytest.mark.parametrize("name", EVERYTHING)
@pytest.mark.parametrize("value", ["-1", "many", "1.5", "99999999"])
def test_a_value_that_cannot_be_used_is_one_line_of_every_command(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=f"{name}='{value}': use a number from") as raised:
        Settings.from_environment({"ARCHIVE_HOME": str(tmp_path), name: value})
    assert "\n" not in str(raised.value)


@pytest.mark.system
def test_dagster_loads_it_from_a_shell_with_nothing_but_the_two_homes(
    settings: Settings, database: Database, tmp_path: Path
) -> None:
    shutil.copyfile(packaged_configuration(), tmp_path / CONFIGURATION)
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("ARCHIVE_", "DAGSTER_"))}
    done = subprocess.run(
        [Path(sys.executable).with_name("dagster"), "instance", "info"],
        env={**keep, "ARCHIVE_HOME": str(settings.home), "DAGSTER_HOME": str(tmp_path), "ARCHIVE_CONCURRENT_RUNS": "3"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "max_concurrent_runs: 3" in done.stdout
