"""Mirroring removes what a whole export does not have, and nothing when it is not sure."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.mirror import REMOVING, Mirrored, comes_one_by_one, mirror
from archive_pipeline.ingest.shards import missing_shards
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import chain, chatgpt, claude, load, write
from archive_pipeline_tests.tables import derived_rows, query, raw_rows

pytestmark = pytest.mark.postgres


def talks(*names: str, text: str = "b") -> list[dict[str, Any]]:
    return [chatgpt(name, chain("a", text)) for name in names]


def mirrored(database: Database, *paths: Path, limit: int = 50) -> Mirrored:
    reading = read_paths(paths)
    summary = import_archive(database, reading)
    return mirror(database, Settings(home=paths[0].parent), summary, limit=limit)


def names(database: Database) -> list[str]:
    return [name for (name,) in query(database, "SELECT source_id FROM raw.dialogues ORDER BY 1")]


def test_what_the_export_does_not_have_is_removed_with_all_its_rows(
    database: Database, settings: Settings, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    load(database, path, *talks("c1", "c2", "c3"), claude("t1", "x", "y"))
    build_stale(database, settings)
    result = mirrored(database, write(path, *talks("c3", "c1", "c4")))
    assert result == Mirrored({"chatgpt": ["chatgpt-c2"]})
    assert result.keys == ["chatgpt-c2"]
    assert names(database) == ["c1", "c3", "c4", "t1"]  # of claude_ai the export had nothing, so nothing is said of it
    build_stale(database, settings)
    left = raw_rows(database), derived_rows(database)
    with database.session() as connection:
        connection.execute("DELETE FROM raw.dialogues")
    load(database, path, *talks("c1", "c3", "c4"), claude("t1", "x", "y"))
    build_stale(database, settings)
    assert (raw_rows(database), derived_rows(database)) == left


def test_a_second_time_there_is_nothing_to_remove(database: Database, tmp_path: Path):
    path = write(tmp_path / "conversations.json", *talks("c1", "c2"))
    assert mirrored(database, path) == mirrored(database, path) == Mirrored({"chatgpt": []})


def test_what_is_older_than_stored_counts_as_present(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    load(database, path, chatgpt("c1", chain("a", "b", "c"), updated=2000.0), *talks("c2"))
    assert mirrored(database, write(path, chatgpt("c1", chain("a"), updated=1000.0), *talks("c2"))).keys == []
    assert names(database) == ["c1", "c2"]


OBSTACLES = {
    "a rejected record": [chatgpt("c1", chain("a", "b")), chatgpt("c2", chain("a", "b")), 17],
    "a contradiction": [*talks("c1", "c2"), *talks("c1", text="another")],
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_nothing_is_removed_if_a_record_was_rejected(database: Database, tmp_path: Path, obstacle: str):
    path = tmp_path / "conversations.json"
    load(database, path, *talks("c1", "c2", "c3"))
    result = mirrored(database, write(path, *OBSTACLES[obstacle]))
    assert result == Mirrored(refused="nothing was removed: the import rejected 1 record or file")
    assert names(database) == ["c1", "c2", "c3"]


def test_nothing_is_removed_if_a_file_could_not_be_read_to_its_end(database: Database, tmp_path: Path):
    load(database, tmp_path / "conversations.json", *talks("c1", "c2", "c3"))
    (tmp_path / "cut.json").write_text(json.dumps(talks("c1", "c2"))[:-20])
    assert mirrored(database, tmp_path / "cut.json").refused is not None
    whole = write(tmp_path / "conversations.json", *talks("c1", "c2"))
    assert mirrored(database, whole, tmp_path / "missing.json").refused is not None
    assert names(database) == ["c1", "c2", "c3"]


def test_nothing_is_removed_if_an_archive_was_left_unopened(database: Database, tmp_path: Path):
    load(database, tmp_path / "conversations.json", *talks("c1", "c2", "c3"))
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as export:
        export.writestr("conversations.json", json.dumps(talks("c1", "c2")))
        export.writestr("user.json", "{}")
        export.writestr("More.tar.gz", b"")
    result = mirrored(database, tmp_path / "export.zip")
    assert result.refused is not None
    assert f"{tmp_path}/export.zip/More.tar.gz: not JSON (.gz)" in result.refused
    assert names(database) == ["c1", "c2", "c3"]


def test_nothing_is_removed_if_a_shard_that_the_manifest_names_is_missing(database: Database, tmp_path: Path):
    load(database, tmp_path / "conversations.json", *talks("c1", "c2", "c3"))
    shards = [{"name": f"conversations-{number:03}.json"} for number in (0, 1)]
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as export:
        export.writestr("conversations-000.json", json.dumps(talks("c1", "c2")))
        export.writestr("export_manifest.json", json.dumps({"version": 1, "files": [{"name": "c", "shards": shards}]}))
    result = mirrored(database, tmp_path / "export.zip")
    assert result.refused is not None
    assert "conversations-001.json: named by" in result.refused
    assert names(database) == ["c1", "c2", "c3"]


UNKNOWN: dict[str, Any] = {
    "conversations-001.json": [{"uid": "x", "turns": ["a", "b"]}] * 8,
    "projects/conversations-001.json": [{"uid": "x", "turns": ["a", "b"]}],
    "new-2027.json": [{"uid": "x"}] * 300,
    "nothing-known.json": {"uid": "x"},
    "words.json": ["a", "b"],
    "more.tar.gz": "x",
    "more.7z": "x",
    "lines.jsonl": "x",
    "webui.db": "x",
    "conversations-001": "x",
    "conversations.json.bak": "x",
    "cut.json": [{"uid": "x"}],
}


@pytest.mark.parametrize("is_zip", [False, True])
@pytest.mark.parametrize("name", UNKNOWN)
def test_nothing_is_removed_if_something_was_not_understood(
    database: Database, tmp_path: Path, name: str, is_zip: bool
):
    load(database, tmp_path / "all.json", *talks("c1", "c2", "c3"))
    files = {"conversations-000.json": json.dumps(talks("c1", "c2")), name: json.dumps(UNKNOWN[name])}
    if name == "cut.json":
        files[name] = files[name][:-3]
    result = mirrored(database, export_of(tmp_path, files, is_zip=is_zip))
    assert result.refused is not None
    assert names(database) == ["c1", "c2", "c3"]


COMPANIONS: dict[str, Any] = {
    "ads.json": {"ads": [{"id": "a"}]},
    "conversation_asset_file_names.json": {"file-AAAA.dat": "one.png"},
    "user.json": {"id": "u", "email": "a@b.c"},
    "users.json": [{"uuid": "u", "full_name": "A", "email_address": "a@b.c"}],
    "memories.json": {"conversations_memory": "likes tea"},
    "projects.json": [{"uuid": "p", "name": "n", "created_at": "t", "docs": []}],
    "projects/2f7e.json": {"uuid": "p", "name": "n", "prompt_template": "", "docs": []},
    "manifest-2f7e-2026-09-01.json": {"files": []},
    "export_manifest.json": {"version": 1, "files": [{"name": "a", "shards": []}]},
    "library_files-000.json": [{"file_id": "f"}],
    "group_chats.json": [{"id": "g"}],
    "message_feedback.json": [],
    "chat.html": "<html>",
    "dalle-generations/file-1.webp": "x",
    "file-AbCdEfGhIjKlMnOpQrStUv-conversations.zip": "x",
    "file_00000000a4b46246a1.dat": "x",
    ".DS_Store": "x",
}


@pytest.mark.parametrize("is_zip", [False, True])
def test_companions_of_an_export_do_not_stop_mirroring(database: Database, tmp_path: Path, is_zip: bool):
    load(database, tmp_path / "all.json", *talks("c1", "c2", "c3"))
    files = {name: json.dumps(value) for name, value in COMPANIONS.items()}
    export = export_of(tmp_path, {"conversations-000.json": json.dumps(talks("c1", "c2")), **files}, is_zip=is_zip)
    assert mirrored(database, export) == Mirrored({"chatgpt": ["chatgpt-c3"]})


def test_mirroring_tells_how_many_dialogues_it_has_removed(
    database: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("archive_pipeline.ingest.mirror._PER_TRANSACTION", 2)
    load(database, tmp_path / "all.json", *talks("c1", "c2", "c3", "c4"))
    summary = load(database, tmp_path / "next.json", *talks("c1"))
    told: list[tuple[str, int, int]] = []
    mirror(database, settings, summary, limit=100, progress=lambda *step: told.append(step))
    assert told == [(REMOVING, 0, 3), (REMOVING, 2, 3), (REMOVING, 3, 3)]


def test_a_message_that_is_there_twice_stops_mirroring(database: Database, tmp_path: Path):
    load(database, tmp_path / "all.json", *talks("c1", "c2", "c3"))
    twice = claude("t1", "q", "a")
    twice["chat_messages"].append({**twice["chat_messages"][1], "text": "b", "content": []})
    result = mirrored(database, write(tmp_path / "conversations.json", *talks("c1", "c2"), twice))
    assert result.refused is not None
    assert "not everything was understood" in result.refused
    assert names(database) == ["c1", "c2", "c3", "t1"]


@pytest.mark.parametrize("is_zip", [False, True])
def test_a_missing_shard_stops_mirroring(database: Database, tmp_path: Path, is_zip: bool):
    load(database, tmp_path / "all.json", *talks("c1", "c2", "c3", "c4"))
    files = {f"conversations-{n:03}.json": json.dumps(talks(name)) for n, name in ((0, "c1"), (2, "c2"), (3, "c3"))}
    result = mirrored(database, export_of(tmp_path, files, is_zip=is_zip))
    assert result.refused is not None
    assert "conversations-001.json: was not given, but later ones were" in result.refused
    files["conversations-001.json"] = "[]"
    assert mirrored(database, export_of(tmp_path, files, is_zip=is_zip)).keys == ["chatgpt-c4"]


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        (["a/conversations-000.json", "a/conversations-001.json"], []),
        (["a/conversations-001.json", "a/conversations-002.json"], []),
        (["conversations-000.zip/conversations.json", "conversations-002.zip/x"], ["conversations-001.zip"]),
        (["a/conversations-000.json", "b/conversations-002.json"], ["b/conversations-001.json"]),
        (["conversations-7.json", "conversations-2026.json", "conversations.json"], []),
        (["conversations-20261101000000.json", "chat-003.json"], []),
    ],
)
def test_missing_numbers_are_named(given: list[str], missing: list[str]):
    assert [line.split(": ")[0] for line in missing_shards(given)] == missing


def test_a_link_to_a_folder_stops_mirroring(database: Database, tmp_path: Path):
    load(database, tmp_path / "all.json", *talks("c1", "c2", "c3"))
    export = export_of(tmp_path, {"conversations-000.json": json.dumps(talks("c1", "c2"))}, is_zip=False)
    (export / "more").symlink_to(tmp_path)
    assert mirrored(database, export).refused is not None


def export_of(folder: Path, files: dict[str, str], *, is_zip: bool) -> Path:
    if is_zip:
        with zipfile.ZipFile(folder / "export.zip", "w") as export:
            for name, content in files.items():
                export.writestr(name, content)
        return folder / "export.zip"
    for name, content in files.items():
        path = folder / "export" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder / "export"


@pytest.mark.parametrize(
    ("left", "limit", "is_refused"),
    [
        (["c1", "c2"], 50, False),  # two of four are half, no more than that
        (["c1"], 50, True),
        (["c1"], 74, True),
        (["c1"], 75, False),
        (["n1", "n2", "n3", "n4", "n5", "n6"], 50, True),  # another account's: new dialogues are no reason to trust it
        (["n1", "n2", "n3", "n4", "n5", "n6"], 99, True),
        (["n1"], 100, False),
    ],
)
def test_more_than_a_share_of_what_was_there_is_removed_only_if_the_user_says_so(
    database: Database, tmp_path: Path, left: list[str], limit: int, is_refused: bool
):
    path = tmp_path / "conversations.json"
    load(database, path, *talks("c1", "c2", "c3", "c4"))
    result = mirrored(database, write(path, *talks(*left)), limit=limit)
    assert (result.refused is not None) == is_refused
    assert not is_refused or "--mirror-limit" in result.refused
    assert names(database) == (sorted({"c1", "c2", "c3", "c4", *left}) if is_refused else sorted(left))


def test_if_one_source_is_refused_nothing_of_another_is_removed(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    load(database, path, *talks("c1", "c2", "c3"), claude("t1", "x"), claude("t2", "x"), claude("t3", "x"))
    files = [
        write(tmp_path / "a.json", *talks("c1", "c2")),
        write(tmp_path / "b.json", claude("t1", "x")),
    ]
    result = mirrored(database, *files)
    assert result.refused is not None
    assert "2 of the 3 dialogues of claude_ai" in result.refused
    assert len(names(database)) == 6


def test_dialogues_that_came_through_the_api_stay(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert all(map(comes_one_by_one, ("api", "openai_messages", "sharegpt", "oasst", "atif", "llm_spans")))
    # No reader makes such dialogues, so another source takes the place of it.
    monkeypatch.setattr("archive_pipeline.ingest.mirror.API", "claude_ai")
    path = tmp_path / "conversations.json"
    load(database, path, *talks("c1", "c2"), claude("t1", "x"), claude("t2", "x"))
    result = mirrored(database, write(path, *talks("c1"), claude("t1", "x")))
    assert result.removed == {"chatgpt": ["chatgpt-c2"]}
    assert names(database) == ["c1", "t1", "t2"]


def test_dialogues_stay_in_which_a_program_stored_messages_or_that_have_no_id(database: Database, tmp_path: Path):
    path = tmp_path / "conversations.json"
    nameless = [{**claude("", text, "there"), "uuid": None} for text in ("hello", "hi")]
    load(database, path, *talks("c1", "c2", "c3"), nameless[0])
    [made] = query(database, "SELECT partition_key FROM raw.dialogues WHERE source = 'claude_ai'")
    statement = "UPDATE raw.messages SET origin = 'api' FROM raw.dialogues AS d WHERE d.id = dialogue_id RETURNING 1"
    query(database, statement.replace("RETURNING", "AND d.source_id = 'c2' RETURNING"))
    # Of three one is to be removed: those that stay do not count.
    result = mirrored(database, write(path, *talks("c1"), nameless[1]), limit=34)
    assert result == Mirrored({"chatgpt": ["chatgpt-c3"], "claude_ai": []}, kept=["chatgpt-c2", *made])
    assert len(names(database)) == 4
