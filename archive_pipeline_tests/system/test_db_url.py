"""`llm-archive db url` leaves the server running for other clients, until `db stop`."""

from __future__ import annotations

from pathlib import Path

import psutil
import psycopg
import pytest

from archive_pipeline_tests.system.commands import wait_until
from archive_pipeline_tests.system.conftest import Start

pytestmark = [pytest.mark.system, pytest.mark.postgres]


@pytest.mark.long
def test_the_server_stays_after_db_url_and_stops_after_db_stop(tmp_path: Path, start: Start, fork: Start):
    url = start(tmp_path, "db", "url").end().out.strip()
    server = psutil.Process(int((tmp_path / "postgres" / "postmaster.pid").read_text().splitlines()[0]))
    try:
        assert fork(tmp_path, "stats").end().code == 0
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT count(*) FROM raw.imports").fetchone() == (0,)
        assert start(tmp_path, "db", "stop").end().code == 0
        wait_until(lambda: not server.is_running(), "the server stops")
    finally:
        if server.is_running():
            server.terminate()
