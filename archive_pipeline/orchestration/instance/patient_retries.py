"""Retries of lost runs that wait for the process with the code.

Dagster's daemon tries once to repeat a run that was lost. If the process with the code was lost too, that fails, and
the run is never repeated: an import stays undone, and its backfill ends as failed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from dagster import DagsterRun
from dagster._core.errors import (
    DagsterCodeLocationLoadError,
    DagsterCodeLocationNotFoundError,
    DagsterUserCodeUnreachableError,
)
from dagster._core.remote_representation.code_location import GrpcServerCodeLocation
from dagster._core.storage.dagster_run import RunRecord
from dagster._core.workspace.context import IWorkspaceProcessContext
from dagster._daemon import controller
from dagster._daemon.auto_run_reexecution.auto_run_reexecution import (
    consume_new_runs_for_automatic_reexecution,
    filter_runs_to_should_retry,
)
from dagster._daemon.auto_run_reexecution.event_log_consumer import EventLogConsumerDaemon
from dagster._daemon.daemon import get_default_daemon_logger

# Then the run is given up, as Dagster does at once.
MOST_SECONDS_WAITED: Final = 600.0
SECONDS_BETWEEN_LOOKS: Final = 1.0
_NOT_THERE: Final = (DagsterCodeLocationLoadError, DagsterCodeLocationNotFoundError, DagsterUserCodeUnreachableError)

Handler = Callable[[IWorkspaceProcessContext[Any], Sequence[RunRecord], logging.Logger], Iterator[None]]


class PatientRetries(EventLogConsumerDaemon):
    """Dagster's part of the daemon that repeats lost runs, once the code is there."""

    @property
    def handle_updated_runs_fns(self) -> Sequence[Handler]:
        """What is done with runs that have ended."""
        return [retried_when_code_is_there]


def install() -> None:
    """Have the daemon of this process use it, and not warn that it begins in a new archive."""
    controller.EventLogConsumerDaemon = PatientRetries  # type: ignore[attr-defined]
    get_default_daemon_logger(PatientRetries.__name__).addFilter(_is_no_beginning)


def _is_no_beginning(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith("No cursor for event type ")


def retried_when_code_is_there(
    context: IWorkspaceProcessContext[Any], records: Sequence[RunRecord], logger: logging.Logger
) -> Iterator[None]:
    """Repeat the runs that are to be repeated, each once its code location answers.

    A daemon that is stopped meanwhile leaves its place in the event log, where the next one goes on.
    """
    for record in records:
        for run in filter_runs_to_should_retry([record.dagster_run], context.instance):
            yield from _until_code_is_there(context, run)
        yield from consume_new_runs_for_automatic_reexecution(context, [record], logger)


def _until_code_is_there(context: IWorkspaceProcessContext[Any], run: DagsterRun) -> Iterator[None]:
    deadline = time.monotonic() + MOST_SECONDS_WAITED
    while not _is_code_there(context, run) and time.monotonic() < deadline:
        time.sleep(SECONDS_BETWEEN_LOOKS)
        yield


def _is_code_there(context: IWorkspaceProcessContext[Any], run: DagsterRun) -> bool:
    if run.remote_job_origin is None:  # of a command; nobody repeats it
        return True
    name = run.remote_job_origin.repository_origin.code_location_origin.location_name
    try:
        location = context.create_request_context().get_code_location(name)
        if isinstance(location, GrpcServerCodeLocation):
            location.client.ping("")
    except _NOT_THERE:
        return False
    return True
