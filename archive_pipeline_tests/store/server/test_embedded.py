"""The embedded server: there when a process needs it, gone with the last one, back after a crash."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from archive_pipeline.errors import ConfigurationError, DatabaseUnavailableError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.server import process as server_process
from archive_pipeline.store.server.database import prepare_database
from archive_pipeline.store.server.embedded import embedded_url, release, restart_when_gone
from archive_pipeline_tests.processes import has_ended
from archive_pipeline_tests.store.homes import copy_home
from archive_pipeline_tests.system.commands import wait_until

pytestmark = [pytest.mark.postgres, pytest.mark.system]

# Says the URL when the server is up, and keeps it in use until it is told to end.
USE = """
import sys
from pathlib import Path
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
database = Database.open(Settings(home=Path(sys.argv[1])))
print(database.url, flush=True)
sys.stdin.readline()
"""

MISSING_LOCALE = "xx_YY.UTF-8"


@pytest.fixture
def new_home(tmp_path: Path) -> Iterator[Path]:
    """A home without a server, which its first use makes."""
    yield tmp_path
    stop(tmp_path)


@pytest.fixture
def home(tmp_path: Path, started_home: Path) -> Iterator[Path]:
    """A home whose server has been started before."""
    copy_home(started_home, tmp_path / "home")
    yield tmp_path / "home"
    stop(tmp_path / "home")


def stop(home: Path) -> None:
    folder = home / "postgres"
    release(folder)
    number = postmaster(folder)
    if number is not None and psutil.pid_exists(number):
        os.kill(number, signal.SIGQUIT)


@pytest.fixture
def use() -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Starts processes that use the server of a home."""
    started: list[subprocess.Popen[str]] = []

    def start(home: Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", USE, str(home)]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=300)


def end(process: subprocess.Popen[str]) -> None:
    process.communicate("\n", timeout=300)
    assert process.returncode == 0


def postmaster(folder: Path) -> int | None:
    file = folder / "postmaster.pid"
    return int(file.read_text().splitlines()[0]) if file.exists() else None


def is_up(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=300).close()
    except psycopg.OperationalError:
        return False
    return True


def test_two_processes_share_one_server_that_ends_with_the_last(new_home: Path, use):
    home = new_home
    first, second = use(home), use(home)  # both at once, on a folder that is not there yet
    urls = [process.stdout.readline().strip() for process in (first, second)]
    assert urls[0] == urls[1]
    assert is_up(urls[0])
    end(first)
    assert is_up(urls[0])
    end(second)
    assert not is_up(urls[0])
    assert postmaster(home / "postgres") is None
    # It starts again with its data for the next one.
    third = use(home)
    assert is_up(third.stdout.readline().strip())
    third.kill()  # a process that is killed releases its use too ...
    third.wait(300)
    last = use(home)
    url = last.stdout.readline().strip()
    end(last)  # ... so this one is the last
    assert not is_up(url)


def test_it_listens_on_no_port_and_two_homes_do_not_touch_each_other(home: Path, archive: Database, settings: Settings):
    other = Database.open(Settings(home=home))
    try:
        for database in (archive, other):
            with database.session() as connection:
                assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        with other.session() as connection:
            connection.execute("CREATE TABLE only_here (n integer)")
        with archive.session() as connection:
            assert connection.execute("SELECT to_regclass('only_here')").fetchone() == (None,)
        assert postmaster(settings.postgres_folder) != postmaster(home / "postgres")
    finally:
        other.engine.dispose()
        release(home / "postgres")
    assert not is_up(other.url)
    assert is_up(archive.url)


def test_after_its_postmaster_is_killed_the_next_use_starts_it_again(home: Path):
    folder = home / "postgres"
    url = embedded_url(folder)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS n")
        number = postmaster(folder)
        os.kill(number, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT pg_sleep(60)")  # it ends when it notices that its postmaster is gone
    again = embedded_url(folder)
    with psycopg.connect(again) as connection:
        assert connection.execute("SELECT n FROM kept").fetchall() == [(1,)]
    assert postmaster(folder) != number


def test_an_engine_that_stays_brings_a_killed_server_back(home: Path):
    folder = home / "postgres"
    database = Database(embedded_url(folder))
    restart_when_gone(database.engine, folder)
    with database.session() as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS n")
    number = postmaster(folder)
    backends = psutil.Process(number).children()
    os.kill(number, signal.SIGKILL)
    psutil.wait_procs(backends, timeout=300)
    with database.session() as connection:  # the pooled connection is dead, and nobody listens
        assert connection.execute("SELECT n FROM kept").fetchall() == [(1,)]
    assert postmaster(folder) != number
    database.engine.dispose()


def test_a_process_of_a_killed_server_that_waits_for_a_lock_is_not_waited_for(home: Path, use):
    folder = home / "postgres"
    url = embedded_url(folder)
    holder, waiter = (psycopg.connect(url, autocommit=True) for _ in range(2))
    holder.execute("SELECT pg_advisory_lock(1)")
    waiter.pgconn.send_query(b"SELECT pg_advisory_lock(1)")
    while not holder.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone():
        pass
    backend = psutil.Process(waiter.info.backend_pid)
    os.kill(postmaster(folder), signal.SIGKILL)
    assert is_up(embedded_url(folder))
    assert has_ended(backend)
    holder.close()
    waiter.close()


def test_what_a_killed_process_held_is_free_soon(home: Path, use):
    url = embedded_url(home / "postgres")
    code = (
        "import psycopg, sys; psycopg.connect(sys.argv[1]).execute('SELECT pg_advisory_lock(2), pg_advisory_lock(1)')"
    )
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(1)")
        process = subprocess.Popen([sys.executable, "-c", code, url])
        while not connection.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone():
            assert process.poll() is None
        process.kill()
        process.wait()
        # Asked again and again, not waited for: the two that wait for each other would be a deadlock for the server.
        wait_until(
            lambda: connection.execute("SELECT pg_try_advisory_lock(2)").fetchone() == (True,),
            "the lock of the killed process is free",
            seconds=30,
        )


def test_a_pid_file_left_by_a_reboot_does_not_stop_it(home: Path, use):
    folder = home / "postgres"
    embedded_url(folder)
    file = folder / "postmaster.pid"
    lines = file.read_text().splitlines()
    release(folder)
    # The number belongs to another program now: this one.
    file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    process = use(home)
    assert is_up(process.stdout.readline().strip())
    end(process)


def test_a_home_that_cannot_be_made_is_an_error_that_names_the_variable(tmp_path: Path):
    file = tmp_path / "file"
    file.write_text("not a folder")
    with pytest.raises(ConfigurationError, match="ARCHIVE_HOME"):
        Database.open(Settings(home=file))


def test_the_server_that_was_asked_to_stay_stays(home: Path, use):
    (home / "postgres-keep-running").touch()
    process = use(home)
    url = process.stdout.readline().strip()
    end(process)
    assert is_up(url)
    (home / "postgres-keep-running").unlink()
    process = use(home)
    process.stdout.readline()
    end(process)
    assert not is_up(url)


def databases(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [name for (name,) in connection.execute("SELECT datname FROM pg_database ORDER BY datname").fetchall()]


def test_a_new_server_has_no_database_that_nothing_needs(new_home: Path):
    folder = new_home / "postgres"
    assert databases(embedded_url(folder)) == ["archive", "template1"]
    release(folder)
    assert databases(embedded_url(folder)) == ["archive", "template1"]


def administer(url: str, database: str = "archive") -> psycopg.Connection[Any]:
    """Connect as the superuser of the embedded server, which is up; statements commit one by one."""
    address = url.replace("//archive@", "//postgres@").replace("/archive?", f"/{database}?")
    return psycopg.connect(address, autocommit=True)


@pytest.mark.parametrize("name", ["postgres", "template0"])
def test_a_database_that_a_server_was_killed_over_while_it_dropped_it_is_dropped(home: Path, name: str):
    with administer(embedded_url(home / "postgres")) as connection:
        connection.execute(f"CREATE DATABASE {name} ALLOW_CONNECTIONS {name == 'postgres'}")
        # What DROP DATABASE does first and does not take back: nobody can connect to it any more, nor change it.
        connection.execute("UPDATE pg_database SET datconnlimit = -2 WHERE datname = %s", [name])
    release(home / "postgres")
    assert databases(embedded_url(home / "postgres")) == ["archive", "template1"]


@pytest.mark.parametrize("is_open", [False, True])
def test_a_database_that_holds_something_stays_and_does_not_become_the_archive(home: Path, is_open: bool):
    url = embedded_url(home / "postgres")
    with administer(url) as connection:
        connection.execute("CREATE DATABASE postgres")
    with administer(url, "postgres") as connection:
        connection.execute("CREATE TABLE mine ()")
    with administer(url, "template1") as connection:
        connection.execute("DROP DATABASE archive")
        connection.execute(f"ALTER DATABASE postgres ALLOW_CONNECTIONS {is_open}")
    release(home / "postgres")
    url = embedded_url(home / "postgres")
    assert databases(url) == ["archive", "postgres", "template1"]
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT to_regclass('mine')").fetchone() == (None,)


def test_a_database_that_somebody_is_connected_to_is_left_alone(home: Path):
    # DROP DATABASE waits for the end of sessions for five seconds, and every command would.
    url = embedded_url(home / "postgres")
    with administer(url) as connection:
        connection.execute("CREATE DATABASE postgres")
    asked: list[str] = []

    def connect(database: str) -> psycopg.Connection[Any]:
        asked.append(database)
        return administer(url, database)

    with administer(url, "postgres"):
        prepare_database(connect)
        assert asked == ["template1", "archive"]
        assert databases(url) == ["archive", "postgres", "template1"]


def test_a_new_server_needs_no_locale_of_the_machine(new_home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LC_ALL", MISSING_LOCALE)
    with psycopg.connect(embedded_url(new_home / "postgres")) as connection:
        found = connection.execute("SELECT 'KÜCHE' ILIKE 'küche', lower('TITEL Ж'), 'z' < 'ä'").fetchone()
    assert found == (True, "titel ж", True)


def test_a_server_that_cannot_be_made_leaves_nothing_and_names_no_log(new_home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server_process, "LOCALE", (f"--locale={MISSING_LOCALE}",))
    with pytest.raises(DatabaseUnavailableError, match=r"does not start \(initdb: error: [^;]*\)$"):
        embedded_url(new_home / "postgres")
    assert not list(new_home.glob("postgres-partial-*"))


def test_an_older_server_starts_without_the_locale_of_its_messages_and_names_that_of_its_texts(home: Path):
    folder = home / "postgres"
    main = folder / "postgresql.conf"
    main.write_text(re.sub(r"(?m)^(lc_\w+) = \S+", rf"\1 = '{MISSING_LOCALE}'", main.read_text()))
    with administer(embedded_url(folder)) as connection:
        connection.execute("UPDATE pg_database SET datcollate = %s", [MISSING_LOCALE])
    release(folder)
    with pytest.raises(DatabaseUnavailableError, match=f"made in the locale {MISSING_LOCALE}, which"):
        embedded_url(folder)
