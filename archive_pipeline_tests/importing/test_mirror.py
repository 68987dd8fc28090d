"""Mirroring removes what a whole export does not have, and nothing when it is not sure."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building import build_stale
from archive_pipeline.importing.importer import import_archive
from archive_pipeline.importing.mirror import NEVER_MIRRORED, Mirrored, mirror
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
    return mirror(database, summary, reading.skipped, limit=limit)


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
    assert result == Mirrored(refused="nothing was removed: the import rejected 1 records or files")
    assert names(database) == ["c1", "c2", "c3"]


def test_nothing_is_removed_if_a_file_could_not_be_read_to_its_end(database: Database, tmp_path: Path):
    load(database, tmp_path / "conversations.json", *talks("c1", "c2", "c3"))
    (tmp_path / "cut.json").write_text(json.dumps(talks("c1", "c2"))[:-20])
    assert mirrored(database, tmp_path / "cut.json").refused is not None
    whole = write(tmp_path / "conversations.json", *talks("c1", "c2"))
    assert mirrored(database, whole, tmp_path / "missing.json").refused is not None
    assert names(database) == ["c1", "c2", "c3"]


def test_nothing_is_removed_if_a_zip_was_left_unopened(database: Database, tmp_path: Path):
    load(database, tmp_path / "conversations.json", *talks("c1", "c2", "c3"))
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as export:
        export.writestr("conversations.json", json.dumps(talks("c1", "c2")))
        export.writestr("user.json", "{}")
        export.writestr("More.ZIP", b"PK\x05\x06" + bytes(18))
    result = mirrored(database, tmp_path / "export.zip")
    assert (
        result.refused == f"nothing was removed: {tmp_path}/export.zip/More.ZIP was not opened and may hold dialogues"
    )
    assert names(database) == ["c1", "c2", "c3"]


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
    assert "api" in NEVER_MIRRORED
    # No reader makes such dialogues, so another source takes the place of it.
    monkeypatch.setattr("archive_pipeline.importing.mirror.NEVER_MIRRORED", frozenset({"claude_ai"}))
    path = tmp_path / "conversations.json"
    load(database, path, *talks("c1", "c2"), claude("t1", "x"), claude("t2", "x"))
    result = mirrored(database, write(path, *talks("c1"), claude("t1", "x")))
    assert result.removed == {"chatgpt": ["chatgpt-c2"]}
    assert names(database) == ["c1", "t1", "t2"]
