"""`llm-archive up` as a test sees it: its processes by what they do, its GraphQL, its runs, and its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil

from archive_pipeline_tests.processes import command_line, has_ended
from archive_pipeline_tests.system.commands import Command, wait_until
from archive_pipeline_tests.system.forked import Forks

# For what takes a few seconds, or a restart of Dagster, on a machine that is busy with other things.
PATIENCE_SECONDS = 900.0
# Asking costs the processes that are asked as much work as what they are to do.
PAUSE_SECONDS = 0.5
STOP_SECONDS = 60.0
# What stands in the command line of each; the process with the code is a child of the code server.
PARTS = {
    "web server": "archive_pipeline.orchestration.instance.web_server",
    "daemon": "archive_pipeline.orchestration.instance.daemon",
    "code server": "code-server",
    "code": "grpc",
}
REPOSITORY = "__repository__"
QUIET = ("nothing has changed", "all is built")
UNDER_WAY = ["QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING"]
# Sensors tick often, each time work for two processes, and are not waited for as long as by default.
VARIABLES = {"ARCHIVE_SENSOR_SECONDS": "2", "DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS": "10"}
# Dagster looks at backfills twice a minute, and takes no setting for it; this is read by the daemon's process alone.
_DAEMON_STARTS = """\
import sys
if "archive_pipeline.orchestration.instance.daemon" in sys.orig_argv:
    from dagster._daemon import controller
    controller.DEFAULT_DAEMON_INTERVAL_SECONDS = 5
"""


def eager_backfills(folder: Path) -> dict[str, str]:
    """Return variables with which the daemon goes on with a backfill soon after its runs.

    Args:
        folder: gets what processes import when they start.
    """
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_DAEMON_STARTS)
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))}


class NoAnswerError(Exception):
    """The web server is not there, or has no database."""


class Live:
    """Web server, daemon and code server of a home, on a free port."""

    def __init__(
        self, home: Path, *, log: Path, variables: Mapping[str, str] | None = None, forks: Forks | None = None
    ) -> None:
        self.home = home
        self.port = free_port()
        arguments = ("up", "--port", self.port)
        self.command = Command(home, *arguments, log=log, variables={**VARIABLES, **(variables or {})}, forks=forks)
        self.command_lines: set[str] = set()
        self._seen: set[psutil.Process] = set()

    def wait_until_ready(self) -> None:
        """Return when every part is there and the web server knows the code."""
        self.wait(
            lambda: self._has_all_parts() and bool(self.ask("{ assetNodes { id } }")["assetNodes"]),
            "Dagster has started",
        )

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Return as soon as the condition holds; while nobody answers, it does not."""

        def holds() -> bool:
            assert self.command.process.poll() is None, self.command.said()
            try:
                return condition()
            except NoAnswerError:
                return False

        said = f"{what}; Dagster said {self.command.said()[-2000:]}"
        wait_until(holds, said, seconds=PATIENCE_SECONDS, pause=PAUSE_SECONDS)

    def address(self, path: str) -> str:
        """The address of a page."""
        return f"http://127.0.0.1:{self.port}{path}"

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """Return what GraphQL answers."""
        request = urllib.request.Request(  # noqa: S310
            self.address("/graphql"),
            data=json.dumps({"query": query, "variables": variables}).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=300) as response:  # noqa: S310
                answer: dict[str, Any] = json.load(response)
        except OSError as error:
            raise NoAnswerError from error
        if "errors" in answer:
            raise NoAnswerError(answer["errors"])
        return dict(answer["data"])

    def processes(self) -> list[psutil.Process]:
        """All processes of `up`, itself included; remembered, so that their end and command lines can be checked."""
        parent = psutil.Process(self.command.process.pid)
        found = [process for process in (parent, *parent.children(recursive=True)) if not has_ended(process)]
        self._seen.update(found)
        self.command_lines.update(" ".join(command_line(process)) for process in found)
        return found

    def _has_all_parts(self) -> bool:
        # To list all processes of the machine takes a tenth of a second, so it is done once for all parts.
        lines = [command_line(process) for process in self.processes()]
        return all(any(part in line for line in lines) for part in PARTS.values())

    def part(self, name: str) -> psutil.Process | None:
        """The process that does this, None while there is none."""
        return next((process for process in self.processes() if PARTS[name] in command_line(process)), None)

    def workers(self) -> list[psutil.Process]:
        """The processes of runs: children of the one with the code."""
        return [process for process in self.processes() if any("spawn_main" in word for word in command_line(process))]

    def kill(self, *processes: psutil.Process | None) -> None:
        """End processes as a crash does."""
        for process in processes:
            assert process is not None
            process.kill()

    def runs(self, job: str) -> list[dict[str, Any]]:
        """Runs of a job, the first one first: their id, status and tags."""
        query = """query ($job: String!) { runsOrError(filter: {pipelineName: $job}) {
            ... on Runs { results { runId status tags { key value } } } } }"""
        results = self.ask(query, job=job)["runsOrError"]["results"]
        return [{**run, "tags": {tag["key"]: tag["value"] for tag in run["tags"]}} for run in reversed(results)]

    def ticks(self, sensor: str) -> list[dict[str, str]]:
        """Status of the last ticks of a sensor and why they skipped, the last one first."""
        query = """query ($sensor: SensorSelector!) { sensorOrError(sensorSelector: $sensor) {
            ... on Sensor { sensorState { ticks(limit: 20) { status skipReason } } } } }"""
        selector = {"repositoryLocationName": "archive_pipeline", "repositoryName": REPOSITORY, "sensorName": sensor}
        state = self.ask(query, sensor=selector)["sensorOrError"].get("sensorState") or {"ticks": []}
        return [{"status": tick["status"], "said": tick["skipReason"] or ""} for tick in state["ticks"]]

    def is_idle(self) -> bool:
        """Tell whether the sensor found nothing to build, and no run is queued or under way."""
        is_quiet = any(tick["said"] in QUIET for tick in self.ticks("stale_dialogues")[:1])
        return is_quiet and self.count(UNDER_WAY) == 0

    def count(self, statuses: list[str]) -> int:
        """How many runs are in one of these states."""
        query = "query ($s: [RunStatus!]) { runsOrError(filter: {statuses: $s}) { ... on Runs { count } } }"
        return int(self.ask(query, s=statuses)["runsOrError"]["count"])

    def launch_backfill(self, assets: list[str], keys: list[str]) -> str:
        """Ask for a backfill of these assets and partitions; return its id."""
        query = """mutation ($params: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $params) {
            __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }"""
        params = {"assetSelection": [{"path": [asset]} for asset in assets], "partitionNames": keys}
        answer = self.ask(query, params=params)["launchPartitionBackfill"]
        assert answer["__typename"] == "LaunchBackfillSuccess", answer
        return str(answer["backfillId"])

    def backfill_status(self, backfill: str) -> str:
        """Where a backfill is: ``REQUESTED``, ``COMPLETED_SUCCESS``, ..."""
        query = """query ($id: String!) { partitionBackfillOrError(backfillId: $id) {
            ... on PartitionBackfill { status } } }"""
        return str(self.ask(query, id=backfill)["partitionBackfillOrError"]["status"])

    def stop(self) -> None:
        """Interrupt it as Ctrl-C does, and check that it ends well and leaves nothing running."""
        self.processes()
        self.command.send(signal.SIGINT)
        assert self.command.process.wait(STOP_SECONDS) == 0
        assert [process for process in self._seen if process.is_running() and not has_ended(process)] == []

    def kill_all(self) -> None:
        """End whatever is left, by its id, after a test that failed."""
        if self.command.process.poll() is None:
            self.processes()
        for process in self._seen:
            if process.is_running() and not has_ended(process):
                process.kill()
        self.command.process.wait()
        # Until then they count as users of the server, which the last one stops.
        wait_until(lambda: all(map(has_ended, self._seen)), "all that was killed ends")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
