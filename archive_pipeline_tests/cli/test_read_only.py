"""A database that takes no writes: commands that read work, others say so in one line."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.exports import chain, chatgpt, write

pytestmark = pytest.mark.postgres


def test_a_command_that_writes_says_that_it_cannot(tmp_path: Path, own_server: str):
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE standby")
    url = own_server.replace("@/postgres?", "@/standby?")
    home = CommandLine(tmp_path / "home", {"ARCHIVE_DATABASE_URL": url})
    export = write(tmp_path / "export.json", chatgpt("c", chain("Oats?", "Oats.")))
    home("import", export)
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute("ALTER DATABASE standby SET default_transaction_read_only = on")
    assert "Oats" in home("search", "oats").out
    refused = home("import", export)
    assert (refused.code, "takes no writes (cannot execute" in refused.error) == (2, True)
