"""Settings that cannot work are one line that names the variable or the server, and exit code 2."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from archive_pipeline_tests.cli.command_line import CommandLine


@pytest.fixture
def nobody_home(tmp_path: Path, environment: dict[str, str]) -> CommandLine:
    """A home that no test here gets as far as creating."""
    return CommandLine(tmp_path / "home", environment)


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


WRONG = {
    "ARCHIVE_PARTITIONING": ("foo", "ARCHIVE_PARTITIONING='foo': use one of per_dialogue, sharded"),
    "ARCHIVE_HASH_NORMALIZATIONS": ("upper", "ARCHIVE_HASH_NORMALIZATIONS='upper': use a comma-separated list of"),
    "ARCHIVE_SIMHASH_VERSION": ("3", "ARCHIVE_SIMHASH_VERSION='3': use 1 or 2"),
}


@pytest.mark.parametrize("variable", WRONG)
@pytest.mark.parametrize("command", [("stats",), ("build",), ("delete", "x"), ("db", "url"), ("db", "stop"), ("up",)])
def test_a_value_that_cannot_be_used_is_named_with_those_that_can(
    command: tuple[str, ...], variable: str, nobody_home: CommandLine
):
    value, message = WRONG[variable]
    result = nobody_home(*command, **{variable: value})
    assert result.code == 2
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert result.error.startswith(message)


URLS = {
    "garbage": ("not a url", "ARCHIVE_DATABASE_URL is not a URL; write postgresql://"),
    "another database": ("mysql://root@localhost/archive", "ARCHIVE_DATABASE_URL names mysql; only PostgreSQL works"),
    "a port that is none": ("postgresql://localhost:port/x", "ARCHIVE_DATABASE_URL"),
    "an unknown host": ("postgresql://user:secret@nowhere.invalid/archive", "cannot reach PostgreSQL at postgresql://"),
    "an unknown option": ("postgresql://localhost/archive?color=red", "ARCHIVE_DATABASE_URL cannot be used"),
}


@pytest.mark.parametrize("name", URLS)
def test_a_database_url_that_cannot_work_is_one_line(name: str, nobody_home: CommandLine):
    url, message = URLS[name]
    result = nobody_home("stats", ARCHIVE_DATABASE_URL=url)
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert result.error.startswith(message)
    assert "secret" not in result.err


def test_a_port_where_nobody_listens_is_named_without_the_password(nobody_home: CommandLine, closed_port: int):
    url = f"postgresql://user:secret@127.0.0.1:{closed_port}/archive"
    result = nobody_home("import", Path(__file__), ARCHIVE_DATABASE_URL=url)
    assert result.code == 2
    assert f"127.0.0.1:{closed_port}" in result.error
    assert "ARCHIVE_DATABASE_URL" in result.error
    assert "secret" not in result.err


def test_a_wrong_password_is_one_line(nobody_home: CommandLine, password_server: str):
    result = nobody_home("stats", ARCHIVE_DATABASE_URL=password_server.replace(":right@", ":wrong@"))
    assert result.code == 2
    assert "password authentication failed" in result.error
    assert "ARCHIVE_DATABASE_URL" in result.error
    assert "wrong" not in result.err


def test_a_role_that_may_not_create_schemas_is_told_what_to_grant(nobody_home: CommandLine, password_server: str):
    result = nobody_home("stats", ARCHIVE_DATABASE_URL=password_server)
    assert result.code == 2
    assert "grant it CREATE on the database" in result.error
    assert "right" not in result.err


def test_a_role_without_rights_is_told_which_it_lacks(own_database, own_server, nobody_home: CommandLine):
    archive = make_url(own_database.url)
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute("CREATE ROLE stranger LOGIN")
    url = archive.set(username="stranger").render_as_string(hide_password=False)
    refused = [nobody_home("stats", ARCHIVE_DATABASE_URL=url)]
    with own_database.session() as connection:
        connection.execute("GRANT USAGE ON SCHEMA raw, derived TO stranger")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA raw, derived TO stranger")
    refused += [nobody_home(*command, ARCHIVE_DATABASE_URL=url) for command in (["list"], ["build"])]
    assert [(result.code, result.error.partition(";")[0]) for result in refused] == [
        (2, "the archive cannot be used: permission denied for schema raw"),
        (2, "the archive cannot be used: permission denied for schema annotations"),
        (2, "the archive cannot be used: permission denied for table imports"),
    ]
    assert "have to belong to the role that connects" in refused[0].error


def test_a_home_that_is_a_file_is_one_line(tmp_path: Path, environment: dict[str, str]):
    home = tmp_path / "file"
    home.write_text("in the way")
    result = CommandLine(home, environment)("stats")
    assert result.code == 2
    assert "set ARCHIVE_HOME" in result.error


def test_an_archive_of_a_newer_version_is_left_alone(own_database, nobody_home: CommandLine):
    with own_database.session() as connection:
        connection.execute("UPDATE raw.schema_version SET version_num = '9999'")
    result = nobody_home("stats", ARCHIVE_DATABASE_URL=own_database.url)
    assert result.code == 2
    assert "does not know; upgrade it" in result.error


@pytest.mark.system
def test_the_installed_script_prints_the_same_line(tmp_path: Path):
    script = Path(sys.executable).parent / "llm-archive"
    environment = {"PATH": "/usr/bin:/bin", "ARCHIVE_HOME": str(tmp_path), "ARCHIVE_PARTITIONING": "foo"}
    result = subprocess.run(
        [script, "stats"], capture_output=True, text=True, timeout=300, env=environment, check=False
    )
    assert result.returncode == 2
    assert result.stderr == "llm-archive: ARCHIVE_PARTITIONING='foo': use one of per_dialogue, sharded\n"
