"""Databases of SQLite as inputs: in use, damaged, hostile, unknown, in zips; and that they are left as they are."""

from __future__ import annotations

import base64
import hashlib
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.readers.attached_files import AttachedFile, attached_files
from archive_pipeline.readers.databases import allowance, snapshot, tables
from archive_pipeline.readers.reading import read_paths
from archive_pipeline_tests.readers.llm_databases import (
    LEGACY,
    STORE,
    add_rows,
    conversations,
    read,
    response,
    said,
    write_database,
)

MANY = 400


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def in_wal_mode(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def test_a_database_is_read_and_left_as_it_is(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(3))
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    path.chmod(0o444)
    records, rejected, file = read(path)
    assert (sorted(records), rejected, file.is_understood) == (["c00000", "c00001", "c00002"], [], True)
    assert file.sha256 == hashlib.sha256(before[0]).hexdigest()
    assert file.bytes_read == file.size == len(before[0])
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert names_in(tmp_path) == ["logs.db"]


def test_the_newest_rows_of_a_database_in_use_are_read(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(2))
    with closing(in_wal_mode(path)) as connection:
        add_rows(connection, conversations(1, 2))
        connection.commit()
        add_rows(connection, conversations(1, 3))  # not committed
        before = {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)}
        assert sorted(before) == ["logs.db", "logs.db-shm", "logs.db-wal"]
        records, rejected, _ = read(path)
        assert (sorted(records), rejected) == (["c00000", "c00001", "c00002"], [])
        assert {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)} == before


def test_a_link_to_a_database_in_use_has_the_newest_rows_too(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(2))
    (tmp_path / "link.db").symlink_to(path)
    with closing(in_wal_mode(path)) as connection:
        add_rows(connection, conversations(1, 2))
        connection.commit()
        assert len(read(tmp_path / "link.db")[0]) == 3


def test_a_database_for_a_log_that_is_not_in_use_gets_no_files_beside_it(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(2))
    in_wal_mode(path).close()
    assert len(read(path)[0]) == 2
    assert names_in(tmp_path) == ["logs.db"]


def test_what_a_killed_program_left_half_written_is_rolled_back_in_the_copy(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(50))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("UPDATE responses SET response = 'half' || response")
        half = {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)}
        connection.execute("ROLLBACK")
    assert sorted(half) == ["logs.db", "logs.db-journal"]
    for name, content in half.items():
        (tmp_path / name).write_bytes(content)
    records, _, _ = read(path)
    assert not [text for record in records.values() for _, text in said(record) if text and text.startswith("half")]
    assert {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)} == half


def test_a_journal_of_several_databases_which_may_delete_a_file_is_not_taken(tmp_path: Path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"")
    path = write_database(tmp_path / "logs.db", conversations(2))
    Path(f"{path}-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\0" * 600 + snapshot._OF_SEVERAL)
    assert len(read(path)[0]) == 2
    assert victim.exists()


def test_a_database_that_changes_all_the_time_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = write_database(tmp_path / "logs.db", conversations(2))
    monkeypatch.setattr(snapshot, "_SECONDS_BETWEEN", 0)
    states = iter(range(1_000))
    monkeypatch.setattr(snapshot, "_state", lambda _: next(states))
    _, [record], _ = read(path)
    assert "is written to all the time" in record.error


def test_one_that_changes_once_is_copied_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = write_database(tmp_path / "logs.db", conversations(2))
    monkeypatch.setattr(snapshot, "_SECONDS_BETWEEN", 0)
    states = iter([1, 2, 2, 2])
    monkeypatch.setattr(snapshot, "_state", lambda _: next(states))
    assert len(read(path)[0]) == 2


def test_a_database_in_a_zip_is_read(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(3))
    zipped = tmp_path / "backup.zip"
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(path, "io.datasette.llm/logs.db")
        archive.writestr("io.datasette.llm/logs.db-wal", b"x")
        archive.writestr("thumbs.db", b"\xd0\xcf\x11\xe0")
    reading = read_paths([zipped])
    items = [item for file in reading for item in file.records()]
    assert len(items) == 3
    skipped = {Path(each.locator).name: (each.reason, each.may_hold_conversations) for each in reading.skipped}
    assert skipped["thumbs.db"] == ("not a database of SQLite (.db)", True)
    assert "not read in a zip" in skipped["logs.db-wal"][0]


def test_in_folders_databases_that_no_reader_knows_are_left_out_with_a_reason(tmp_path: Path):
    write_database(tmp_path / "other.sqlite3", {}, "CREATE TABLE a (b); CREATE VIEW responses AS SELECT 1;")
    write_database(tmp_path / "logs.sqlite", conversations(1))
    (tmp_path / "logs.sqlite-shm").write_bytes(b"x")
    (tmp_path / "thumbs.db").write_bytes(b"\xd0\xcf\x11\xe0")
    reading = read_paths([tmp_path])
    assert len([item for file in reading for item in file.records()]) == 1
    skipped = {Path(each.locator).name: each.reason for each in reading.skipped}
    assert skipped["thumbs.db"] == "not a database of SQLite (.db)"
    assert skipped["logs.sqlite-shm"] == "read with the database of its name"
    assert skipped["other.sqlite3"].startswith("a database of SQLite that no reader knows (tried crush: no table")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x12\x34" * 500, "is no database of SQLite: it is encrypted"),
        (b"SQLite format 3\0" + b"\xff" * 500, "is damaged: its schema cannot be read"),
        (b"SQLite format 3\0", "is damaged: its schema cannot be read"),
    ],
)
def test_what_is_no_database_is_an_error_where_the_user_names_it(tmp_path: Path, content: bytes, reason: str):
    path = tmp_path / "logs.db"
    path.write_bytes(content)
    _, [record], file = read(path)
    assert reason in record.reason
    assert record.whole_file
    assert not file.is_understood


def test_an_unknown_database_that_the_user_names_is_an_error_that_says_what_was_tried(tmp_path: Path):
    _, [record], _ = read(write_database(tmp_path / "other.db", {}, "CREATE TABLE a (b);"))
    assert "no reader knows (tried crush: no table sessions, messages; cursor: no table" in record.reason
    assert "cursorDiskKV or no table ItemTable with keys" in record.reason
    assert "; llm: no table conversations, responses or no table threads, turns" in record.reason


def test_a_database_without_conversations_is_skipped(tmp_path: Path):
    records, rejected, file = read(write_database(tmp_path / "logs.db", {}))
    assert (records, rejected) == ({}, [])
    assert file.skipped is not None
    assert file.skipped.reason == "a database of llm without conversations"


def test_json_with_the_name_of_a_database_is_read_as_before(tmp_path: Path):
    path = tmp_path / "export.db"
    path.write_text("[]")
    assert read(path)[2].skipped is not None


def pages_of(path: Path, table: str) -> list[int]:
    with closing(sqlite3.connect(path)) as connection:
        [root] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [table]).fetchone()
    content = path.read_bytes()
    size = int.from_bytes(content[16:18], "big")
    first = (root - 1) * size
    cells = int.from_bytes(content[first + 3 : first + 5], "big")
    pointers = [int.from_bytes(content[first + 12 + 2 * at : first + 14 + 2 * at], "big") for at in range(cells)]
    return [int.from_bytes(content[first + at : first + at + 4], "big") for at in pointers]


def test_behind_a_damaged_page_reading_goes_on(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(MANY))
    content = bytearray(path.read_bytes())
    leaves = pages_of(path, "responses")
    for page in (leaves[3], leaves[7]):
        content[(page - 1) * 4096 : page * 4096] = b"\xee" * 4096
    path.write_bytes(content)
    records, rejected, file = read(path)
    told = [(record.locator.rpartition(": ")[2], record.error) for record in rejected]
    assert told == [("responses", "database disk image is malformed")]
    assert "rows of its table responses cannot be read" in rejected[0].reason
    complete = [record for record in records.values() if len(record.messages) == 2]
    assert MANY - 45 < len(complete) < MANY
    assert {record.warnings["malformed_message"] for record in records.values()} == {1}
    assert not file.is_understood


def test_of_a_file_that_is_cut_off_what_is_there_is_read(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(MANY))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 4 * 3 + 100])
    records, rejected, _ = read(path)
    assert "is cut off" in rejected[0].reason
    assert 50 < sum(len(record.messages) == 2 for record in records.values()) < MANY


def test_a_row_that_cannot_be_read_makes_its_dialogue_a_partial_one(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(2))
    long = response("r99", "q", "a", "c00001", reasoning="x" * 20_000)
    write_database(path, {"responses": [long]})
    content = bytearray(path.read_bytes())
    page = content.index(b"x" * 4_000) // 4096
    content[page * 4096 : page * 4096 + 4] = (2**31 - 2).to_bytes(4, "big")  # the next page of the text
    path.write_bytes(content)
    records, rejected, _ = read(path)
    assert [record.error for record in rejected] == ["database disk image is malformed"]
    assert "1 rows of its table responses are missing" in rejected[0].reason
    assert records["c00001"].warnings == {"malformed_message": 1}
    assert len(records["c00001"].messages) == 2


@pytest.mark.parametrize("length", [1, 6])
def test_whatever_bytes_are_wrong_nothing_is_raised(tmp_path: Path, length: int):
    content = write_database(tmp_path / "logs.db", conversations(2)).read_bytes()
    path = tmp_path / "damaged.db"
    for at in [*range(16, 108, 7), *range(108, len(content), len(content) // 30 + 61 * length)]:
        damaged = bytearray(content)
        damaged[at : at + length] = b"\xff" * length
        path.write_bytes(damaged)
        records, rejected, _ = read(path)
        assert records or rejected


def test_texts_that_are_not_utf8_keep_their_bytes(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(1))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE responses SET prompt = CAST(x'61ff22' AS TEXT), response = 7, model = x'00ff'")
        connection.execute("UPDATE responses SET resolved_model = 9e999, prompt_json = char(1, 0, 34)")
        connection.commit()
    [file] = read_paths([path])
    [item] = file.records()
    assert b'"prompt":"a\xff\\""' in item.raw
    record = item.record
    assert record.messages[0].parts[0].text == 'a\ufffd"'
    assert record.warnings["invalid_utf8"] == 1
    row = record.messages[1].source["responses"][0]
    assert record.messages[1].parts[0].text == "7"  # as the column is one of texts
    assert row["model"] == {"base64": base64.b64encode(b"\0\xff").decode()}
    assert row["resolved_model"] == "1e999"
    assert row["prompt_json"] == '\x01\0"'


def test_hostile_schemas_run_nothing(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(2))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            DROP TABLE threads;
            ALTER TABLE responses ADD COLUMN big TEXT GENERATED ALWAYS AS (hex(zeroblob(400000000))) VIRTUAL;
            CREATE VIEW threads AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id,
                i AS tip_message_hash FROM n;
            CREATE TABLE "od""d" ("a""b" TEXT, rowid TEXT);
            CREATE TABLE fragments_ (x);
            CREATE TRIGGER t AFTER INSERT ON responses BEGIN DELETE FROM responses; END;
            DROP TABLE fragments;
            CREATE VIRTUAL TABLE fragments USING fts5(id, content);
            """
        )
        connection.commit()
    records, rejected, _ = read(path)
    assert (len(records), rejected) == (2, [])
    assert all(len(record.messages) == 2 for record in records.values())
    assert all("big" not in message.source["responses"][0] for r in records.values() for message in r.messages[1:])


def test_a_view_in_the_place_of_a_table_is_no_table(tmp_path: Path):
    schema = LEGACY.replace('CREATE TABLE "responses"', 'CREATE TABLE "hidden"')
    view = 'CREATE VIEW "responses" AS SELECT * FROM hidden;'
    _, [record], _ = read(write_database(tmp_path / "logs.db", {}, schema + view))
    assert "no table responses" in record.reason


def test_nothing_but_stored_columns_of_tables_may_be_read(tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(1))
    with closing(tables.Tables(path, tables.Allowance(path.stat().st_size))) as opened:
        for statement in (
            "SELECT load_extension('x')",
            "ATTACH 'x' AS y",
            "DELETE FROM responses",
            "CREATE TEMP TABLE x (y)",
            "PRAGMA writable_schema = ON",
            "SELECT hex(id) FROM responses",
        ):
            with pytest.raises(sqlite3.DatabaseError):
                opened._connection.execute(statement)


def test_threads_that_share_a_long_path_give_no_more_than_their_allowance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(allowance, "is_bomb", lambda taken, size: taken > 10 * size)
    count = 100
    messages = [{"hash": f"m{at}", "parent_hash": f"m{at - 1}" if at else None, "role": "user"} for at in range(count)]
    parts = [{"message_hash": f"m{at}", "position": 0, "type": "text", "text": "x" * 200} for at in range(count)]
    threads = [{"id": f"t{at:04}", "tip_message_hash": f"m{count - 1}"} for at in range(300)]
    path = tmp_path / "logs.db"
    write_database(path, {"messages": messages, "parts": parts, "threads": threads}, STORE)
    records, rejected, _ = read(path)
    assert [record.whole_file for record in rejected] == [True]
    assert 20 < len(records) < 200
    *whole, last = records.values()
    assert {len(record.messages) for record in whole} == {count}
    assert last.warnings == {"malformed_message": 1}
    assert "its rows say more than 200 times its size" in rejected[0].reason


def test_an_allowance_of_steps_ends_what_takes_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = write_database(tmp_path / "logs.db", conversations(MANY))
    monkeypatch.setattr(allowance, "_STEPS_AT_LEAST", -(10**9))
    _, rejected, _ = read(path)
    assert rejected


def stored(path: Path) -> list[tuple[tuple[str, ...], str, bytes]]:
    found = []
    for item in attached_files([path]):
        assert isinstance(item, AttachedFile)
        with item.open() as stream:
            found.append((item.ids, item.locator, stream.read()))
    return found


def with_files(path: Path) -> Path:
    contents: list[Any] = [b"\x89PNG" + b"x" * 100_000, None, "text", b""]
    rows = [{"id": f"id{at}", "type": "image/png", "content": content} for at, content in enumerate(contents)]
    return write_database(path, {"attachments": rows, **conversations(1)})


def test_contents_of_attachments_are_attached_files(tmp_path: Path):
    path = with_files(tmp_path / "logs.db")
    [(ids, locator, content)] = stored(path)
    assert (ids, locator, content) == (("id0",), f"{path}/attachments/id0", b"\x89PNG" + b"x" * 100_000)
    assert [each[:2] for each in stored(tmp_path)] == [(ids, locator)]


def test_in_a_zip_too(tmp_path: Path):
    path = with_files(tmp_path / "logs.db")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(path, "logs.db")
    assert [each[0] for each in stored(tmp_path / "a.zip")] == [("id0",)]


def test_a_damaged_database_costs_no_other_file(tmp_path: Path):
    (tmp_path / "a.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 500)
    (tmp_path / "b.db").write_bytes(b"x")
    with_files(tmp_path / "logs.db")
    assert [each[0] for each in stored(tmp_path)] == [("id0",)]


def test_a_database_that_was_uploaded_to_a_chat_is_an_attached_file(tmp_path: Path):
    path = with_files(tmp_path / "file-AbCdEfGhIjKlMnOpQrStUv.db")
    [item] = attached_files([path])
    assert isinstance(item, AttachedFile)
    assert item.ids == ("file-AbCdEfGhIjKlMnOpQrStUv",)
