"""What is put into the drop folder is imported once, under the name that it has when its run starts."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster import DagsterEvent, DagsterEventType
from dagster._core.storage.tags import RETRY_NUMBER_TAG, RUN_KEY_TAG, WILL_RETRY_TAG

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
    assert (again.run_key, paths(again), sensor.runs(again)) == (request.run_key, ["imports/b.json"], [])
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
    assert paths(again) == ["imports/b.json"]

    def read_and_remove(*args: object, **options: object) -> object:
        moved.rename(folder / "c.json")
        return read_paths(*args, **options)

    read_paths = import_job.read_paths
    monkeypatch.setattr(import_job, "read_paths", read_and_remove)
    assert not sensor.run(again)
    monkeypatch.undo()
    last = sensor.asked()
    assert (last.run_key, paths(last)) == (request.run_key, ["imports/c.json"])


def test_what_was_read_and_has_nothing_to_import_is_not_asked_for_again(sensor: Sensor, folder: Path) -> None:
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("readme.md", "Nothing here.")
    assert not sensor.run(sensor.asked())
    assert sensor.looks().run_requests == []


def test_a_killed_run_whose_retry_finds_the_file_gone_leaves_the_key_too(
    sensor: Sensor, folder: Path, instance: dg.DagsterInstance
) -> None:
    path = write(folder / "a.json", chatgpt("killed", chain("x")))
    request = sensor.asked()
    path.unlink()
    instance.report_run_failed(sensor.queued(request))
    assert not sensor.run(request)
    assert sensor.runs(request) == []


def test_a_run_that_could_not_be_started_is_asked_for_again_and_one_that_waits_for_its_retry_is_not(
    sensor: Sensor, folder: Path, instance: dg.DagsterInstance, archive: Archive
) -> None:
    write(folder / "a.json", chatgpt("lost", chain("x")))
    request = sensor.asked()
    lost = sensor.queued(request)
    instance.report_run_failed(lost)
    instance.add_run_tags(lost.run_id, {WILL_RETRY_TAG: "true"})
    (folder / "b.json").write_bytes((folder / "a.json").read_bytes())
    assert sensor.looks().run_requests == []
    instance.add_run_tags(lost.run_id, {WILL_RETRY_TAG: "false"})  # Dagster could not repeat it
    again = sensor.asked()
    assert (again.run_key, paths(again), sensor.runs(again)) == (request.run_key, ["imports/a.json"], [])
    assert sensor.run(again)
    assert sensor.looks().run_requests == []
    assert query(archive.database, "SELECT source_id FROM raw.dialogues") == [("lost",)]


def test_a_run_that_was_killed_as_often_as_it_is_retried_is_not_asked_for_again(
    sensor: Sensor, folder: Path, instance: dg.DagsterInstance
) -> None:
    write(folder / "a.json", chatgpt("deadly", chain("x")))
    killed = sensor.queued(sensor.asked())
    instance.report_dagster_event(
        DagsterEvent(DagsterEventType.RUN_START.value, IMPORT_JOB, message="began"), run_id=killed.run_id
    )
    instance.report_run_failed(killed)
    instance.add_run_tags(killed.run_id, {WILL_RETRY_TAG: "false", RETRY_NUMBER_TAG: "3"})
    assert sensor.looks().run_requests == []
    instance.add_run_tags(killed.run_id, {RETRY_NUMBER_TAG: "2"})
    (folder / "a.json").rename(folder / "b.json")
    assert paths(sensor.asked()) == ["imports/b.json"]


def test_a_file_that_is_replaced_while_its_run_waits_is_not_read_for_it_and_its_content_is_imported_later(
    sensor: Sensor, folder: Path, archive: Archive
) -> None:
    first = write(folder / "a.json", chatgpt("first", chain("x"))).read_bytes()
    request = sensor.asked()
    write(folder / "new", chatgpt("second", chain("y"))).rename(folder / "a.json")
    assert not sensor.run(request)
    assert sensor.run(sensor.asked())
    (folder / "again.json").write_bytes(first)
    again = sensor.asked()
    assert again.run_key == request.run_key
    os.utime(folder / "again.json", (1, 1))  # the same content all the same
    assert sensor.run(again)
    assert query(archive.database, "SELECT source_id FROM raw.dialogues ORDER BY 1") == [("first",), ("second",)]


def test_a_file_that_is_replaced_while_it_is_read_gives_the_key_back(
    sensor: Sensor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder / "a.json", chatgpt("read", chain("x")))
    request = sensor.asked()
    import_archive = import_job.import_archive

    def import_and_replace(*arguments: object, **named: object) -> object:
        summary = import_archive(*arguments, **named)
        write(path, chatgpt("not read", chain("y", "z")))
        return summary

    monkeypatch.setattr(import_job, "import_archive", import_and_replace)
    assert sensor.run(request)
    assert sensor.runs(request) == []


def test_a_queued_run_of_an_earlier_version_whose_home_was_moved_is_asked_for_again(
    sensor: Sensor, folder: Path, archive: Archive
) -> None:
    write(folder / "a.json", chatgpt("moved", chain("x")))
    request = sensor.asked()
    config = {"ops": {"import_exports": {"config": {"paths": ["/nowhere/imports/a.json"]}}}}
    assert not sensor.run(dg.RunRequest(request.run_key, config, request.tags))
    assert sensor.run(sensor.asked())
    assert query(archive.database, "SELECT source_id FROM raw.dialogues") == [("moved",)]
