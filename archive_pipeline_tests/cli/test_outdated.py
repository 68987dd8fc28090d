"""`stats` and `up` say of what an older version read how to read it again, and the command that they name does it."""

from __future__ import annotations

import shlex
import zipfile
from pathlib import Path

import pytest

from archive_pipeline.cli.outdated import commands, folder_of
from archive_pipeline.store.database import Database
from archive_pipeline.store.outdated_readings import OutdatedExport
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.exports import chain, chatgpt, claude, load, write
from archive_pipeline_tests.tables import query


def test_a_command_names_the_file_or_the_zip_around_it():
    exports = [
        OutdatedExport("/a b/export.zip/conversations-000.json", is_partial=False),
        OutdatedExport("/a b/export.zip/inner.zip/conversations.json", is_partial=False),
        OutdatedExport("folder/conversations.json", is_partial=True),
        OutdatedExport("s3://bucket/2026/export.zip/conversations.json", is_partial=False),
        OutdatedExport("part.ZIP/conversations.json", is_partial=True),
    ]
    assert commands(exports) == [
        "llm-archive import '/a b/export.zip'",
        "llm-archive import --partial folder/conversations.json",
        "llm-archive import s3://bucket/2026/export.zip",
        "llm-archive import --partial part.ZIP",
    ]


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        (["/a/b.zip", "s3://bucket/export.zip"], ""),
        (["/a/b.zip", "export.zip"], " (in the folder in which they were imported)"),
    ],
)
def test_paths_that_were_given_relative_to_a_folder_are_named_as_such(paths: list[str], folder: str):
    assert folder_of(paths) == folder


@pytest.mark.postgres
def test_the_command_that_stats_name_reads_again_what_an_older_version_read(
    llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    plain = write(tmp_path / "conversations.json", chatgpt("c1", chain("x", "y")), chatgpt("c2", chain("z")))
    zipped = tmp_path / "the export.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.write(write(tmp_path / "other.json", claude("l1", "x")), "conversations.json")
    loaded(plain, zipped)
    assert llm_archive("stats", "--json").json["outdated_readings"] == []
    with database.session() as connection:
        connection.execute("UPDATE raw.dialogue_vintages SET reader_version = NULL")
        connection.execute("UPDATE raw.messages SET source_json = '{}'")
    assert llm_archive("stats", "--json").json["outdated_readings"] == [
        {"source": "chatgpt", "dialogues": 2, "commands": [f"llm-archive import {plain}"]},
        {"source": "claude_ai", "dialogues": 1, "commands": [f"llm-archive import '{zipped}'"]},
    ]
    lines = [line for line in llm_archive("stats").err.splitlines() if "older version" in line]
    assert [line.partition(" read by")[0] for line in lines] == [
        "2 dialogues of chatgpt were",
        "1 dialogue of claude_ai was",
    ]
    for line in lines:
        result = llm_archive(*shlex.split(line.partition("read them again: llm-archive ")[2]), "--json")
        assert result.code == 0
        assert result.json["dialogues"]["reread"] > 0
    assert llm_archive("stats", "--json").json["outdated_readings"] == []
    assert query(database, "SELECT count(*) FROM raw.messages WHERE source_json = '{}'") == [(0,)]


@pytest.mark.postgres
def test_many_files_are_a_few_commands_and_a_number(llm_archive: CommandLine, database: Database, tmp_path: Path):
    for number in range(5):
        load(
            database, tmp_path / f"{number}.json", *(chatgpt(f"{number}-{at}", chain("x")) for at in range(number + 1))
        )
    with database.session() as connection:
        connection.execute("UPDATE raw.dialogue_vintages SET reader_version = 0")
    [line] = [line for line in llm_archive("stats").err.splitlines() if "older version" in line]
    assert line.startswith("15 dialogues of chatgpt were read by an older version")
    shown = "; ".join(f"llm-archive import {tmp_path}/{number}.json" for number in (4, 3, 2))
    assert line.endswith(f"to read them again: {shown}; 2 more in `stats --json`")
