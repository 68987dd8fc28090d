"""A process may run many commands: each closes the connections that it opened."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.orchestration.instance.storage import ArchiveDagsterStorage
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.system.commands import wait_until
from archive_pipeline_tests.tables import query


def connections(database: Database) -> int:
    ((count,),) = query(database, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
    return int(count)


@pytest.mark.parametrize("arguments", [("stats",), ("search", "tide"), ("show", "nothing")])
def test_a_command_closes_its_connections(llm_archive: CommandLine, database: Database, arguments: tuple[str, ...]):
    gc.disable()  # which closes them at some time
    try:
        before = connections(database)
        for _ in range(3):
            llm_archive(*arguments)
        wait_until(lambda: connections(database) <= before, "the connections are closed")
    finally:
        gc.enable()


def test_an_import_that_is_reported_and_built_opens_the_storage_of_dagster_once(
    llm_archive: CommandLine, sample: Path, monkeypatch: pytest.MonkeyPatch
):
    opened: list[object] = []
    real = ArchiveDagsterStorage.__init__

    def counted(self: ArchiveDagsterStorage, *arguments: Any) -> None:
        opened.append(self)
        real(self, *arguments)

    monkeypatch.setattr(ArchiveDagsterStorage, "__init__", counted)
    assert len(llm_archive("import", sample, "--json").json["runs"]) == 1
    assert len(opened) == 1
