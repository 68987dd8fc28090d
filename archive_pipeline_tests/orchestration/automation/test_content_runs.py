"""What is put into the drop folder is imported once, under the name that it has when its run starts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.storage.tags import RUN_KEY_TAG

from archive_pipeline.orchestration.automation import import_job
from archive_pipeline.orchestration.automation.import_job import IMPORT_JOB, import_files
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.instance.execution import job_origin
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import chain, chatgpt, write
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


@pytest.fixture
def folder(archive: Archive, empty_archive: Database) -> Iterator[Path]:
    folder = archive.settings.imports_folder
    folder.mkdir(exist_ok=True)
    yield folder
    shutil.rmtree(folder)


class Sensor:
    """The sensor of the drop folder, and runs as the daemon makes them of what it asks for."""

    def __init__(self, instance: dg.DagsterInstance, archive: Archive) -> None:
        self._instance = instance
        self._archive = archive
        self._cursor: str | None = None
        self._sensor = build_defs(settings=archive.settings).resolve_sensor_def("new_imports")

    def looks(self) -> dg.SensorResult:
        """Return the result of the look that asks for a run, or of the second one."""
        for _ in range(2):
            with dg.build_sensor_context(instance=self._instance, cursor=self._cursor) as context:
                seen = self._sensor(context)
            self._cursor = seen.cursor
            if seen.run_requests:
                break
        return seen

    def asked(self) -> dg.RunRequest:
        [request] = self.looks().run_requests
        return request

    def run(self, request: dg.RunRequest) -> bool:
        return import_files.execute_in_process(
            run_config=request.run_config,
            instance=self._instance,
            tags=tags(request),
            resources={"archive": self._archive},
            raise_on_error=False,
        ).success

    def queued(self, request: dg.RunRequest) -> dg.DagsterRun:
        return self._instance.create_run_for_job(
            import_files,
            run_config=request.run_config,
            tags=tags(request),
            status=dg.DagsterRunStatus.QUEUED,
            remote_job_origin=job_origin(IMPORT_JOB),
        )

    def runs(self, request: dg.RunRequest) -> list[str]:
        found = self._instance.get_runs(dg.RunsFilter(tags={RUN_KEY_TAG: request.run_key or ""}))
        return [run.run_id for run in found]


def tags(request: dg.RunRequest) -> dict[str, str]:
    """Return the tags that the daemon gives the run that was asked for."""
    return {**request.tags, RUN_KEY_TAG: request.run_key or ""}


def paths(request: dg.RunRequest) -> list[str]:
    return list(request.run_config["ops"]["import_exports"]["config"]["paths"])


@pytest.fixture
def sensor(instance: dg.DagsterInstance, archive: Archive) -> Sensor:
    return Sensor(instance, archive)


def test_a_file_that_is_renamed_while_its_run_is_queued_is_imported_under_its_new_name_once(
    sensor: Sensor, folder: Path, instance: dg.DagsterInstance, archive: Archive
) -> None:
    first = write(folder / "a.json", chatgpt("renamed", chain("x")))
    request = sensor.asked()
    queued = sensor.queued(request)
    second = first.rename(folder / "b.json")
    waiting = sensor.looks()
    assert (waiting.run_requests, "1 entries" in waiting.skip_reason.skip_message) == ([], True)
    instance.delete_run(queued.run_id)
    assert not sensor.run(request)
    again = sensor.asked()
    assert (again.run_key, paths(again), sensor.runs(again)) == (request.run_key, [str(second)], [])
    assert sensor.run(again)
    assert query(archive.database, "SELECT source_id FROM raw.dialogues") == [("renamed",)]
    shutil.copy(second, folder / "c.json")
    known = sensor.looks()
    [run] = sensor.runs(again)
    assert known.run_requests == []
    assert known.skip_reason.skip_message == f"{folder}: nothing new; c.json has the content of run {run[:8]}"


def test_a_file_that_cannot_be_read_is_not_tried_again_under_another_name(sensor: Sensor, folder: Path) -> None:
    (folder / "bad.json").write_text("not JSON at all")
    assert not sensor.run(sensor.asked())
    (folder / "bad.json").rename(folder / "worse.json")
    assert sensor.looks().run_requests == []


def test_a_folder_that_was_emptied_and_a_file_that_went_while_its_run_waited_for_the_lock_are_asked_for_again(
    sensor: Sensor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "export").mkdir()
    moved = write(folder / "export" / "a.json", chatgpt("moved", chain("x")))
    request = sensor.asked()
    moved = moved.rename(folder / "b.json")
    assert not sensor.run(request)
    again = sensor.asked()
    assert paths(again) == [str(moved)]

    def read_and_remove(*args: object, **options: object) -> object:
        moved.rename(folder / "c.json")
        return read_paths(*args, **options)

    read_paths = import_job.read_paths
    monkeypatch.setattr(import_job, "read_paths", read_and_remove)
    assert not sensor.run(again)
    monkeypatch.undo()
    last = sensor.asked()
    assert (last.run_key, paths(last)) == (request.run_key, [str(folder / "c.json")])


def test_a_killed_run_whose_retry_finds_the_file_gone_leaves_the_key_too(
    sensor: Sensor, folder: Path, instance: dg.DagsterInstance
) -> None:
    path = write(folder / "a.json", chatgpt("killed", chain("x")))
    request = sensor.asked()
    path.unlink()
    instance.report_run_failed(sensor.queued(request))
    assert not sensor.run(request)
    assert sensor.runs(request) == []
