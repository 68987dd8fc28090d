"""The run launcher of a code location in a container of its own, whose runs end with the container.

Dagster's default launcher has runs be processes of the code location and asks nobody whether they are there: the code
location says when one dies. If it dies itself, with its container or its machine, nobody does; and a run with the
process numbers of another container is none that `orphans` can look for.
"""

from __future__ import annotations

from typing import Final

import dagster as dg
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.launcher.base import CheckRunHealthResult, WorkerStatus
from dagster._core.launcher.default_run_launcher import DefaultRunLauncher
from dagster._grpc.types import CanCancelExecutionRequest, CanCancelExecutionResult
from dagster._serdes import deserialize_value

ANSWER_SECONDS: Final = 10


class WatchedRunLauncher(DefaultRunLauncher):
    """Dagster's default launcher; run monitoring fails, and so has retried, a run that its code location does not have.

    Not for `llm-archive up`, where runs outlive the process that started them.
    """

    @property
    def supports_check_run_worker_health(self) -> bool:
        """Run monitoring may ask."""
        return True

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Ask the code location that started the run for it; while nobody answers, the run counts as being there."""
        client = self._get_grpc_client_for_termination(run.run_id)  # type: ignore[no-untyped-call]
        if client is None:  # a run in the process of a command
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        try:
            answer = client.can_cancel_execution(CanCancelExecutionRequest(run_id=run.run_id), timeout=ANSWER_SECONDS)
        except DagsterUserCodeUnreachableError:
            return CheckRunHealthResult(WorkerStatus.RUNNING, "the code location does not answer")
        if deserialize_value(answer, CanCancelExecutionResult).can_cancel:
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        return CheckRunHealthResult(WorkerStatus.NOT_FOUND, "the code location was started anew and has no such run")
