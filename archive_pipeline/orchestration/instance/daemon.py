"""Dagster's daemon, as ``llm-archive up`` runs it.

It is its own command, with what it logs of a lost database bounded, and retries that wait for the code.
"""

from __future__ import annotations

from dagster._daemon.cli import main as daemon
from dagster._utils.log import configure_loggers

from archive_pipeline.orchestration.instance import patient_retries
from archive_pipeline.orchestration.instance.lost_database_log import filter_logs


def main() -> None:
    """Run ``dagster-daemon`` with the arguments of this process."""
    configure_loggers()  # once before the filter: it has structlog set a class of loggers of its own
    filter_logs()
    patient_retries.install()
    daemon()
