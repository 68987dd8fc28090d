"""`stats`, `db`, help and version."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import psutil
import psycopg
import pytest

from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.cli.commands import LazyGroup, llm_archive
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.readers.registry import readers
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.server.embedded import keep_marker
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.documents.stored import PAGE, store_document
from archive_pipeline_tests.exports import chain, chatgpt, claude, load
from archive_pipeline_tests.tables import counts, query


def commands() -> list[tuple[str, ...]]:
    """Every command and command of a group."""
    found: list[tuple[str, ...]] = [()]
    assert isinstance(llm_archive, LazyGroup)
    for name in llm_archive.commands:
        command = llm_archive.load(name)
        found.append((name,))
        if isinstance(command, click.Group):
            found += [(name, inner) for inner in command.commands]
    return found


WITHOUT_JSON = {(), ("up",), ("browse",), ("mcp",), ("documents",), ("db",), ("db", "stop")}


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_has_help(command: tuple[str, ...], tmp_path: Path, environment: dict[str, str]):
    result = CommandLine(tmp_path / "home", environment)(*command, "--help")
    assert result.code == 0
    assert result.out.startswith("Usage: llm-archive")
    assert result.err == ""
    assert not (tmp_path / "home").exists()
    assert ("--json" in result.out) == (command not in WITHOUT_JSON)


@pytest.mark.parametrize("arguments", [("--version",), ("-h",)])
def test_version_and_short_help(arguments: tuple[str, ...], tmp_path: Path, environment: dict[str, str]):
    result = CommandLine(tmp_path, environment)(*arguments)
    assert result.code == 0
    assert "llm-archive" in result.out


@pytest.mark.parametrize(
    "arguments", [("imprt",), ("import",), ("build", "--speed"), ("delete",), ("up", "--port", "many")], ids=" ".join
)
def test_a_command_that_is_written_wrong_says_so(
    arguments: tuple[str, ...], tmp_path: Path, environment: dict[str, str]
):
    result = CommandLine(tmp_path / "home", environment)(*arguments)
    assert result.code == 2
    assert "Error: " in result.err
    assert "Traceback" not in result.err
    assert not (tmp_path / "home").exists()


@pytest.mark.postgres
def test_stats_of_an_empty_archive(llm_archive: CommandLine, settings: Settings):
    result = llm_archive("stats")
    assert result.code == 0
    assert "last import never" in result.out
    assert result.err == "the archive is empty: `llm-archive import PATH` fills it\n"
    as_json = llm_archive("stats", "--json").json
    assert as_json["sources"] == []
    assert as_json["last_import_at"] is None
    parts = as_json["home_bytes"]
    assert parts["database"] > 10_000_000
    assert parts["write_ahead_log"] >= 1024 * 1024
    assert sum(parts.values()) == pytest.approx(disk_use(settings.home), rel=0.05)  # the server works meanwhile
    assert "write ahead log" in result.out


def disk_use(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


@pytest.mark.postgres
def test_stats_count_what_is_there(
    llm_archive: CommandLine, loaded: Loaded, database: Database, settings: Settings, sample: Path
):
    loaded(sample)
    with instance_for(settings):
        pass  # which makes the tables of Dagster
    store_document(database, "cut", [PAGE, PAGE])
    build_document_chunks(database, settings)
    store_document(database, "uncut", [PAGE, PAGE])
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("VACUUM")  # which would change sizes between two looks
    result = llm_archive("stats", "--json")
    assert result.code == 0
    assert result.json["sources"] == [
        {"source": "chatgpt", "dialogues": 8, "messages": 69, "copied_messages": 0},
        {"source": "claude_ai", "dialogues": 7, "messages": 51, "copied_messages": 0},
    ]
    stored = counts(database)
    assert {name.split(".")[1]: rows for name, rows in result.json["rows"].items()} == {
        "sources": len(readers()) + 1,  # and what is stored by matching
        **stored,
        **dict.fromkeys(("document_attachments", "page_vectors", "attachment_contents"), 0),
        "attached_files": 3,
        "documents": 2,
        "document_pages": 4,
        "document_chunks": 2,
    }
    assert {name for name, count in result.json["stale"].items() if count} == {"document_chunks"}
    sizes = result.json["table_bytes"]
    assert set(result.json["rows"]) < set(sizes)
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)
    [(chunks,)] = query(database, "SELECT pg_total_relation_size('derived.qa_chunks')")
    assert sizes["derived.qa_chunks"] == chunks
    assert sizes["dagster.event_logs"] > 0
    assert 0 < sum(sizes.values()) < result.json["size_bytes"]
    shown = llm_archive("stats").out
    assert f" {next(iter(sizes))} " in shown
    assert "vector index none yet" in shown
    assert result.json["stale"]["document_chunks"] == 1
    assert result.json["imports"] == {"done": 2, "failed": 0, "running": 0, "rejected_records": 0}
    assert result.json["unacknowledged"] == {"failed_imports": 0, "rejected_records": 0, "surprises": 0}
    assert result.json["acknowledged_at"] is None
    shown = [line.split() for line in llm_archive("stats").out.splitlines()]
    assert ["chatgpt", "8", "69"] in [words[:3] for words in shown]
    assert ["raw.document_pages", "4"] in [words[-2:] for words in shown]
    assert ["document_chunks", "1"] in [words[:2] for words in shown]


@pytest.mark.postgres
def test_stats_list_models_and_dates(llm_archive: CommandLine, database: Database, tmp_path: Path):
    of_gpt = [replace(said, more={"metadata": {"model_slug": "gpt-4o"}}) for said in chain("a", "b", "c", "d")]
    load(database, tmp_path / "a.json", chatgpt("a", of_gpt))
    load(database, tmp_path / "b.json", claude("b", "Who?", "I."))
    found = llm_archive("stats", "--json")
    assert found.json["models"] == [
        {
            "source": "chatgpt",
            "model": "gpt-4o",
            "messages": 2,
            "first_at": "2023-11-14T22:13:21+00:00",
            "last_at": "2023-11-14T22:13:23+00:00",
        }
    ]
    assert found.json["dates"] == {
        "chatgpt": {"first_at": "2023-11-14T22:13:20+00:00", "last_at": "2023-11-14T22:13:23+00:00"},
        "claude_ai": {"first_at": "2024-05-01T00:00:00+00:00", "last_at": "2024-05-01T00:00:01+00:00"},
    }
    shown = [line.split() for line in llm_archive("stats").out.splitlines()]
    assert ["gpt-4o", "chatgpt", "2", "2023-11-14", "2023-11-14"] in shown
    assert ["claude_ai", "2024-05-01", "2024-05-01"] in [words[:3] for words in shown]
    narrow = llm_archive("stats", COLUMNS="30").out
    assert "…" not in narrow
    shown = [line.split() for line in narrow.splitlines()]
    assert ["2024-05-01", "2024-05-01"] in [words[-2:] for words in shown]
    assert ["raw.rejected_records", "0"] in shown


@pytest.mark.postgres
@pytest.mark.parametrize("mode", [(), ("--json",)], ids=["text", "json"])
def test_the_database_url_works_in_another_client(mode: tuple[str, ...], llm_archive: CommandLine, settings: Settings):
    result = llm_archive("db", "url", *mode)
    assert result.code == 0
    assert result.err == ""
    url = result.json["url"] if mode else result.out.strip()
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM raw.dialogues").fetchone() == (0,)
    assert keep_marker(settings.postgres_folder).exists()
    assert llm_archive("db", "stop").code == 0
    assert not keep_marker(settings.postgres_folder).exists()
    server = int((settings.postgres_folder / "postmaster.pid").read_text().splitlines()[0])
    assert psutil.pid_exists(server)  # this process uses it still


@pytest.mark.postgres
def test_a_server_of_the_users_own_is_not_stopped(own_database: Database, llm_archive: CommandLine):
    result = llm_archive("db", "stop", ARCHIVE_DATABASE_URL=own_database.url)
    assert result.code == 0
    assert result.out == "the database is a server of your own; it is left alone\n"
    with own_database.session() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
