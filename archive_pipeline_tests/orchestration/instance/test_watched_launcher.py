"""Runs in the container of a code location: whether they are there is asked of the code location."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.instance.ref import InstanceRef
from dagster._core.launcher.base import WorkerStatus
from dagster._grpc.client import DagsterGrpcClient

from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.instance.execution import job_origin
from archive_pipeline.orchestration.instance.in_flight import RANGE_END, RANGE_START
from archive_pipeline.orchestration.instance.watched_launcher import WatchedRunLauncher
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.partitions.keys import contiguous_ranges, register_keys
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.system.commands import gate, wait_until
from archive_pipeline_tests.system.live import free_port
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.dagster, pytest.mark.postgres, pytest.mark.system]

IMAGE = CHECKOUT / "deploy" / "image"
SECONDS = 300.0


@contextmanager
def code_location(port: int, home: Path) -> Iterator[DagsterGrpcClient]:
    """Run a code location as the image does; at the end all of its container is gone."""
    program = Path(sys.executable).with_name("dagster")
    arguments = ["api", "grpc", "-m", "archive_pipeline.definitions", "-a", "defs", "-h", "127.0.0.1", "-p", str(port)]
    environment = {**os.environ, "ARCHIVE_HOME": str(home), "DAGSTER_HOME": str(home)}
    server = subprocess.Popen([program, *arguments], env=environment, start_new_session=True)
    try:
        client = DagsterGrpcClient(port=port, host="127.0.0.1")
        wait_until(lambda: answers(client), "the code location answers", seconds=SECONDS, pause=0.5)
        yield client
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def answers(client: DagsterGrpcClient) -> bool:
    try:
        client.ping("")
    except DagsterUserCodeUnreachableError:
        return False
    return True


@pytest.fixture
def instance(settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    monkeypatch.setenv("ARCHIVE_HOME", str(settings.home))
    monkeypatch.delenv("ARCHIVE_DATABASE_URL", raising=False)
    with dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(settings.home), config_dir=str(IMAGE))) as instance:
        yield instance


def test_the_image_has_the_configuration_of_every_archive_but_for_the_launcher():
    def read(path: Path) -> dict[str, Any]:
        return dict(yaml.safe_load(path.read_text(encoding="utf-8")))

    own = read(IMAGE / "dagster.yaml")
    assert own.pop("run_launcher")["class"] == WatchedRunLauncher.__name__
    assert own == read(CHECKOUT / "dagster_home" / "dagster.yaml")


def test_a_run_of_a_command_is_nobody_elses_business(instance: dg.DagsterInstance, settings: Settings):
    run = instance.create_run_for_job(build_defs(settings=settings).resolve_job_def(JOB))
    launcher = instance.run_launcher
    assert isinstance(launcher, WatchedRunLauncher)
    assert launcher.supports_check_run_worker_health
    assert launcher.check_run_worker_health(run).status is WorkerStatus.RUNNING


@pytest.mark.faults
def test_a_run_is_lost_when_its_code_location_was_started_anew(
    instance: dg.DagsterInstance, settings: Settings, database: Database, tmp_path: Path
):
    load(database, tmp_path / "export.json", *(chatgpt(f"watched{number}", chain("a", "b")) for number in range(2)))
    keys = [key for (key,) in query(database, "SELECT partition_key FROM raw.dialogues ORDER BY 1")]
    register_keys(instance, settings, keys)
    (whole,) = contiguous_ranges(instance, settings, keys)
    launcher, port = instance.run_launcher, free_port()
    run = instance.create_run_for_job(
        build_defs(settings=settings).resolve_job_def(JOB),
        tags={RANGE_START: whole.start, RANGE_END: whole.end},
        remote_job_origin=job_origin(JOB),
    )

    def health() -> WorkerStatus:
        return launcher.check_run_worker_health(run).status

    with gate(database, "derived.message_paths", "true") as held, code_location(port, settings.home) as client:
        WatchedRunLauncher.launch_run_from_grpc_client(instance, run, client)
        held.wait_for_visitor(seconds=SECONDS)
        assert health() is WorkerStatus.RUNNING
    assert health() is WorkerStatus.RUNNING  # nobody answers, and nobody knows
    with code_location(port, settings.home):
        assert health() is WorkerStatus.NOT_FOUND
