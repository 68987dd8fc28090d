"""A run launcher that starts each run as those of Kubernetes and Docker do, on a machine of its own as far as one can.

A run is `dagster api execute_run` with the reference of the instance, in a process that shares nothing with what
launched it but the database: its home, working folder, user's folder and environment are new and empty. The process is
forked, with its imports done; that the command does its own is tested where a pod's is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
from dagster import DagsterRun
from dagster._cli.api import ExecuteRunArgs
from dagster._core.launcher import LaunchRunContext, RunLauncher
from dagster._core.launcher.base import CheckRunHealthResult, WorkerStatus
from dagster._serdes import ConfigurableClass, ConfigurableClassData

from archive_pipeline_tests.system.forked import start_at

PROCESS_FILE = "process"


class SeparateLauncher(RunLauncher, ConfigurableClass):
    """Launches a run in a folder of its own.

    Args:
        machines: a folder; each run gets one in it, named by its id.
        forks: the address of what forks the processes.
        variables: all that the environment of a run has, besides PATH and its own folders.
    """

    def __init__(
        self, machines: str, forks: str, variables: Mapping[str, str], inst_data: ConfigurableClassData | None = None
    ) -> None:
        self._inst_data = inst_data
        self._machines = Path(machines)
        self._forks = forks
        self._variables = variables
        super().__init__()

    @property
    def inst_data(self) -> ConfigurableClassData | None:
        return self._inst_data

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        return {"machines": str, "forks": str, "variables": dict}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> SeparateLauncher:
        return cls(inst_data=inst_data, **config_value)

    def launch_run(self, context: LaunchRunContext) -> None:
        run = context.dagster_run
        assert run.job_code_origin is not None
        arguments = ExecuteRunArgs(
            job_origin=run.job_code_origin,
            run_id=run.run_id,
            instance_ref=self._instance.get_ref(),
            set_exit_code_on_failure=True,
        ).get_command_args()
        machine = self._machines / run.run_id
        machine.mkdir(parents=True)
        own = {"PATH": os.environ["PATH"], "HOME": str(machine), "ARCHIVE_HOME": str(machine / "home")}
        process = start_at(
            self._forks,
            "dagster._cli:main",
            arguments,
            out=machine / "out",
            err=machine / "err",
            environment={**own, **self._variables},
            folder=machine,
        )
        (machine / PROCESS_FILE).write_text(str(process.pid))

    def terminate(self, run_id: str) -> bool:
        process = process_of(self._machines, run_id)
        if process is None:
            return False
        process.terminate()
        return True

    @property
    def supports_check_run_worker_health(self) -> bool:
        return True

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        is_there = process_of(self._machines, run.run_id) is not None
        return CheckRunHealthResult(WorkerStatus.RUNNING if is_there else WorkerStatus.NOT_FOUND)


def process_of(machines: Path, run_id: str) -> psutil.Process | None:
    """Return the process of a run, None if it has ended."""
    try:
        process = psutil.Process(int((machines / run_id / PROCESS_FILE).read_text()))
        return None if process.status() == psutil.STATUS_ZOMBIE else process
    except (psutil.NoSuchProcess, FileNotFoundError):
        return None
