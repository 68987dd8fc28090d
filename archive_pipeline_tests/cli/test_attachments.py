"""What commands say and do about the files that messages came with."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import export, file_id, picture, stored_names, talk
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

Without = Callable[[Path], Path]

NOTES = b"Feed the sourdough starter with rye flour."
MEMBERS: dict[str, Any] = {
    "conversations.json": [talk("c1", 1, 2, names={1: "notes.txt", 2: "gone.pdf"})],
    f"{file_id(1)}.dat": NOTES,
}


@pytest.fixture
def without_files(database: Database, settings: Settings) -> Without:
    """Imports the conversations of an export and builds what follows without a run of Dagster, but keeps no file."""

    def run(path: Path) -> Path:
        import_archive(database, read_paths([path]))
        build_stale(database, settings)
        return path

    return run


def test_import_keeps_files_and_search_finds_their_text(
    llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path
):
    path = export(tmp_path / "export.zip", MEMBERS)
    expected = llm_archive("doctor", path, "--json").json["attachments"]
    assert expected == {"present": 1, "missing": 1, "bytes": len(NOTES)}
    result = llm_archive("import", path)
    assert result.code == 0, result.err
    assert ["missing", "1"] in [line.split()[:2] for line in result.out.splitlines()]
    assert "missing   1 attached files are in none of the exports" in result.err
    assert stored_names(settings) == {hashlib.sha256(NOTES).hexdigest()}
    [found] = llm_archive("search", "sourdough", "--json").json
    assert (found["filename"], found["metadata"]["came_with"][0]["partition_key"]) == ("notes.txt", "chatgpt-c1")
    assert "came with A chat, chatgpt-c1" in llm_archive("search", "sourdough").out
    stats = llm_archive("stats", "--json").json
    assert stats["attachments"] == {"kept": 1, "kept_bytes": len(NOTES), "missing": 1}
    assert stats["home_bytes"]["attached_files"] == len(NOTES) + 65, "with the hash in the list of what was written"
    assert "attached files 1 kept (0.0 MB), 1 missing" in llm_archive("stats").out


def test_import_says_in_json_what_became_of_files(
    llm_archive: CommandLine, without_files: Without, database: Database, tmp_path: Path
):
    path = without_files(export(tmp_path / "export.zip", MEMBERS))
    found = llm_archive("import", path, "--json").json["attachments"]
    assert found == {
        "stored": 1,
        "stored_bytes": len(NOTES),
        "unchanged": 0,
        "repaired": 0,
        "missing": 1,
        "missing_files": [{"id": file_id(2), "name": "gone.pdf"}],
        "unclaimed": 0,
        "unreadable": [],
        "texts": {"new": 1, "read_again": 0, "unchanged": 0, "rejected": 0, "skipped": 0},
    }


def test_files_of_messages_are_no_skipped_files_whatever_their_ids_look_like(
    llm_archive: CommandLine, database: Database, tmp_path: Path
):
    members = {
        "conversations.json": [picture("c1", "file-service://file-Short1")],
        "file-Short1-notes.txt": NOTES,
        "other.txt": b"of no message",
    }
    path = export(tmp_path / "export.zip", members)
    before = llm_archive("doctor", path, "--json").json["skipped"]
    said = llm_archive("import", path).err.splitlines()
    assert [line for line in said if line.startswith(("beside", "skipped"))] == [
        "beside    1 file of the export: attached files",
        f"skipped   {path}/other.txt: not JSON (.txt)",
    ]
    again = llm_archive("import", path, "--json").json
    assert (again["attachments"]["unchanged"], again["skipped"]) == (1, before)
    assert {file["locator"]: file["reason"] for file in before} == {
        f"{path}/file-Short1-notes.txt": "a companion of the export: attached files",
        f"{path}/other.txt": "not JSON (.txt)",
    }
    left = llm_archive("import", path, "--no-attachments", "--json").json["skipped"]
    assert {file["reason"] for file in left} == {"not JSON (.txt)"}


def test_files_alone_are_no_useless_import_if_messages_point_to_them(
    llm_archive: CommandLine, loaded: Loaded, database: Database, settings: Settings, tmp_path: Path
):
    files = export(tmp_path / "Files__u-0001.zip", {f"{file_id(1)}.dat": NOTES})
    early = llm_archive("import", files)
    assert early.code == 2
    assert "left out  1 attached files: no message in the archive points to them" in early.err
    loaded(export(tmp_path / "c.zip", {"conversations.json": MEMBERS["conversations.json"]}))
    assert stored_names(settings) == set()
    assert llm_archive("import", files).code == 0
    assert stored_names(settings) == {hashlib.sha256(NOTES).hexdigest()}


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_where_only_a_file_came_mirroring_is_refused_aloud(
    options: tuple[str, ...], llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    loaded(export(tmp_path / "c.zip", {"conversations.json": MEMBERS["conversations.json"]}))
    path = export(tmp_path / "export.zip", MEMBERS | {"conversations.json": "[broken"})
    result = llm_archive("import", path, "--mirror", *options)
    assert (result.code, result.error) == (1, "nothing was removed: the import rejected 1 record or file")
    if options:
        assert result.json["mirror"] == {"removed": {}, "refused": result.error, "kept": []}
    assert query(database, "SELECT source_id FROM raw.dialogues") == [("c1",)]


def test_no_attachments_leaves_files_in_the_export(
    llm_archive: CommandLine, without_files: Without, database: Database, settings: Settings, tmp_path: Path
):
    path = without_files(export(tmp_path / "export.zip", MEMBERS))
    result = llm_archive("import", path, "--no-attachments", "--json")
    assert (result.code, result.json["attachments"]) == (0, None)
    assert llm_archive("import", path, "--json", ARCHIVE_ATTACHMENTS="leave").json["attachments"] is None
    assert stored_names(settings) == set()
    assert query(database, "SELECT count(*) FROM raw.attached_files") == [(0,)]


def test_delete_removes_files_and_their_text(
    llm_archive: CommandLine, loaded: Loaded, database: Database, settings: Settings, tmp_path: Path
):
    loaded(export(tmp_path / "export.zip", MEMBERS))
    assert [found["filename"] for found in llm_archive("search", "sourdough", "--json").json] == ["notes.txt"]
    assert llm_archive("delete", "chatgpt-c1").code == 0
    assert stored_names(settings) == set()
    assert llm_archive("search", "sourdough", "--json").json == []


def test_a_damaged_file_is_an_exit_code_and_all_else_is_loaded(
    llm_archive: CommandLine, without_files: Without, database: Database, settings: Settings, tmp_path: Path
):
    path = export(tmp_path / "export.zip", MEMBERS | {f"{file_id(2)}.dat": bytes(range(256)) * 40})
    data = bytearray(path.read_bytes())
    start = data.index(f"{file_id(2)}.dat".encode()) + 60
    data[start : start + 40] = bytes(40)
    path.write_bytes(data)
    without_files(path)
    result = llm_archive("import", path)
    assert result.code == 1
    assert stored_names(settings) == {hashlib.sha256(NOTES).hexdigest()}
    assert f"rejected  {path}/{file_id(2)}.dat cannot be read, and was not kept" in result.err
    assert query(database, "SELECT count(*) FROM raw.dialogues") == [(1,)]


def test_show_says_which_files_are_kept_and_which_are_missing(
    llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    loaded(export(tmp_path / "export.zip", MEMBERS))
    thread = llm_archive("show", "chatgpt-c1").out
    assert f"[file: notes.txt, text/plain, {len(NOTES)} bytes, {hashlib.sha256(NOTES).hexdigest()}]" in thread
    assert "[file missing: gone.pdf]" in thread
    message, answer = llm_archive("show", "chatgpt-c1", "--json").json["messages"]
    assert [(file["file_id"], file["file_name"], file["size_bytes"]) for file in message["files"]] == [
        (file_id(2), "gone.pdf", None),
        (file_id(1), "notes.txt", len(NOTES)),
    ]
    assert answer["files"] == []
