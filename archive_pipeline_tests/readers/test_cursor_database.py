"""Cursor's databases: of what stands there conversations alone are read, and other editors' are not Cursor's."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.readers.databases import tables
from archive_pipeline.readers.databases.tables import Tables
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline_tests.readers.cursor_databases import (
    CHATS,
    COMPOSERS,
    NAME,
    OLDER,
    asked,
    called,
    conversation,
    said,
    write,
)
from archive_pipeline_tests.readers.llm_databases import read
from archive_pipeline_tests.readers.llm_databases import said as words

TOKEN = "eyJhbGciOi-token-of-the-user"  # noqa: S105 - a test's
PRIVATE = {
    "cursorAuth/accessToken": TOKEN,
    "secret://{}": TOKEN,
    "composer.composerHeaders": {"allComposers": [{"name": TOKEN}]},
    "workbench.panel.aichat.view.aichat.chatdata.old": {"tabs": [{"tabId": TOKEN, "bubbles": [{"text": TOKEN}]}]},
    "aiService.prompts": [{"text": TOKEN, "commandType": 4}],
}
BESIDE = {
    f"checkpointId:{NAME}:k": {"files": [TOKEN]},
    f"messageRequestContext:{NAME}:b1": {"cursorRules": [TOKEN]},
    f"agentKv:blob:{'0' * 64}": TOKEN.encode() * 5_000,
    f"my-composerData:{NAME}": {"conversation": [asked(1, TOKEN)]},
    "composerData": {"conversation": [asked(1, TOKEN)]},
}
OTHER = "6f1ce2b1-0c1d-4a52-9b8e-2f60f3a1d002"


def test_a_database_gives_its_conversations(tmp_path: Path):
    entries = conversation(asked(1, "Sum"), called(2, rawArgs="{}", result="3"), said(3, "Three."))
    entries |= conversation(asked(1, "Other"), name=OTHER)
    records, rejected, file = read(write(tmp_path / "state.vscdb", entries, PRIVATE))
    assert (sorted(records), rejected, file.source, file.is_understood) == ([NAME, OTHER], [], "cursor", True)
    assert words(records[NAME]) == [("user", "Sum"), ("assistant", None), ("assistant", "Three.")]
    assert words(records[OTHER]) == [("user", "Other")]


def test_no_value_but_those_of_conversations_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    keys: list[bytes] = []
    row = Tables.row

    def noted(self: Tables, table: str, number: int, file_column: str | None = None) -> Any:
        found = row(self, table, number, file_column)
        keys.append(found["key"])
        return found

    monkeypatch.setattr(Tables, "row", noted)
    secrets = {"blobEncryptionKey": TOKEN, "speculativeSummarizationEncryptionKey": TOKEN}
    entries = conversation(asked(1, "Sum"), **secrets)
    path = write(tmp_path / "state.vscdb", {**BESIDE, **entries}, PRIVATE)
    [file] = read_paths([path])
    items = list(file.records())
    assert {bytes(key).decode() for key in keys} == set(entries)
    assert TOKEN not in str(items)
    assert [each.record.source_id for each in items if isinstance(each, ReadDialogue)] == [NAME]


def test_damage_of_what_is_not_read_is_not_noticed(tmp_path: Path):
    """Of a long value most stands on pages of its own: whoever reads it meets what is wrong there."""
    long = {"cursorAuth/accessToken": TOKEN + "x" * 20_000}
    blob = {"agentKv:blob:0": b"y" * 20_000}
    path = write(tmp_path / "state.vscdb", {**blob, **conversation(asked(1, "Sum"))}, long)
    content = bytearray(path.read_bytes())
    for letter in (b"x", b"y"):
        page = content.index(letter * 4_000) // 4096
        content[page * 4096 : page * 4096 + 4] = (2**31 - 2).to_bytes(4, "big")  # the next page of the value
    path.write_bytes(content)
    records, rejected, file = read(path)
    assert (sorted(records), rejected, file.is_understood) == ([NAME], [], True)


def test_a_damaged_message_costs_no_other(tmp_path: Path):
    path = write(tmp_path / "state.vscdb", conversation(asked(1, "Sum"), said(2, "x" * 20_000), said(3, "Three.")))
    content = bytearray(path.read_bytes())
    page = content.index(b"x" * 4_000) // 4096
    content[page * 4096 : page * 4096 + 4] = (2**31 - 2).to_bytes(4, "big")
    path.write_bytes(content)
    records, rejected, _ = read(path)
    assert words(records[NAME]) == [("user", "Sum"), ("assistant", "Three.")]
    assert records[NAME].warnings["malformed_message"] == 2  # the row, and that the list names it
    assert "1 rows of its table cursorDiskKV are missing" in rejected[0].reason


def test_a_message_that_is_too_large_is_not_called_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tables, "MAX_ELEMENT_BYTES", 20_000)
    path = write(tmp_path / "state.vscdb", conversation(asked(1, "Sum"), said(2, "x" * 20_000), said(3, "Three.")))
    records, rejected, _ = read(path)
    assert words(records[NAME]) == [("user", "Sum"), ("assistant", "Three.")]
    reason = "has rows that are too large: 1 rows of its table cursorDiskKV are missing from their conversations"
    assert [(each.reason, each.error) for each in rejected] == [(f"{path} {reason}", "it has more than 20,000 bytes")]


def test_a_message_that_claims_to_be_larger_than_its_database_is_damaged(tmp_path: Path):
    path = write(tmp_path / "state.vscdb", conversation(asked(1, "Sum"), said(2, "x" * 20_000)))
    content = bytearray(path.read_bytes())
    place = content.index(_varint(2 * len(json.dumps(said(2, "x" * 20_000))) + 13))  # the type of a text in its row
    content[place : place + 3] = b"\xff\xff\x7f"
    path.write_bytes(content)
    _, rejected, _ = read(path)
    assert f"{path} is damaged: 1 rows of its table cursorDiskKV are missing" in rejected[0].reason


def _varint(number: int) -> bytes:
    """Return a number of three bytes as SQLite writes it."""
    return bytes([0x80 | number >> 14, 0x80 | (number >> 7 & 0x7F), number & 0x7F])


def test_values_may_be_the_bytes_of_a_text(tmp_path: Path):
    entries = {key: json.dumps(value).encode() for key, value in conversation(asked(1, "Süm")).items()}
    records, rejected, _ = read(write(tmp_path / "state.vscdb", entries))
    assert (words(records[NAME]), rejected) == ([("user", "Süm")], [])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_values_in_other_encodings_are_read(tmp_path: Path, encoding: str):
    entries = {key: json.dumps(value).encode(encoding) for key, value in conversation(asked(1, "Sum")).items()}
    items = {CHATS: json.dumps(TABS).encode(encoding)}
    records, rejected, _ = read(write(tmp_path / "state.vscdb", entries, items))
    assert (sorted(records), rejected) == ([NAME, "t1", "t3"], [])
    assert words(records[NAME]) == [("user", "Sum")]


def test_keys_may_be_the_bytes_of_a_text(tmp_path: Path):
    """Also that of an entry with several conversations."""
    path = write(tmp_path / "state.vscdb", conversation(asked(1, "Sum"), said(2, "Three.")), {CHATS: TABS})
    with closing(sqlite3.connect(path)) as connection:
        for table in ("cursorDiskKV", "ItemTable"):
            connection.execute(f"UPDATE {table} SET key = CAST(key AS BLOB)")  # noqa: S608
        connection.commit()
    records, rejected, _ = read(path)
    assert (sorted(records), rejected) == ([NAME, "t1", "t3"], [])
    assert words(records[NAME]) == [("user", "Sum"), ("assistant", "Three.")]
    assert words(records["t1"]) == [("user", "Why?")]


def test_what_was_never_sent_is_no_conversation_and_is_counted(tmp_path: Path):
    drafts = {f"composerData:d{at}": {"composerId": f"d{at}", "text": "unsent", "richText": "{}"} for at in range(3)}
    records, rejected, file = read(write(tmp_path / "a" / "state.vscdb", {**drafts, **conversation(asked(1, "Sum"))}))
    assert (sorted(records), rejected) == ([NAME], [])
    assert [each.reason for each in file.beside] == ["conversations in which nothing is said: 3"]
    records, rejected, file = read(write(tmp_path / "b" / "state.vscdb", drafts))
    assert (records, rejected) == ({}, [])
    assert file.skipped is not None
    assert file.skipped.reason == "a database of cursor without conversations"


def test_a_conversation_that_lost_all_of_its_messages_is_rejected(tmp_path: Path):
    entries = conversation(asked(1, "Sum"), said(2, "Three."))
    only = {f"composerData:{NAME}": entries[f"composerData:{NAME}"], f"composerData:{OTHER}": "no JSON"}
    records, rejected, _ = read(write(tmp_path / "state.vscdb", only))
    assert records == {}
    assert [record.reason for record in rejected] == [
        "the conversation names 2 messages, none of which is in the database any more",
        "the conversation has no messages",
    ]


def test_a_table_without_values_costs_no_other(tmp_path: Path):
    keys = "CREATE TABLE cursorDiskKV (key TEXT); INSERT INTO cursorDiskKV VALUES ('composerData:c');"
    records, rejected, _ = read(write(tmp_path / "state.vscdb", {}, {CHATS: TABS}, OLDER + keys))
    assert sorted(records) == ["t1", "t3"]
    assert [record.reason for record in rejected] == ["the conversation has no messages"]


@pytest.mark.parametrize("table", ["cursorDiskKV", "composerHeaders"])
def test_a_table_whose_rows_have_no_number_is_not_called_damaged(tmp_path: Path, table: str):
    made = {
        "cursorDiskKV": "CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value BLOB)",
        "composerHeaders": "CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, value TEXT)",
    }
    schema = ";".join([OLDER, *(f"{made[name]} {'WITHOUT ROWID' if name == table else ''}" for name in made)])
    path = write(tmp_path / "state.vscdb", conversation(asked(1, "Sum")), {CHATS: TABS}, schema)
    records, rejected, _ = read(path)
    assert sorted(records) == sorted(["t1", "t3", *([NAME] if table == "composerHeaders" else [])])
    [record] = rejected
    assert f"has a table whose rows have no number (WITHOUT ROWID), which is not read: rows of its table {table}" in (
        record.reason
    )
    assert "damaged" not in record.reason


def test_a_table_with_the_words_in_a_column_has_numbers(tmp_path: Path):
    table = "CREATE TABLE cursorDiskKV (key TEXT, value BLOB, note TEXT DEFAULT 'a WITHOUT ROWID');"
    path = write(tmp_path / "state.vscdb", {}, schema=OLDER + table)
    with closing(sqlite3.connect(path)) as connection:
        for key, value in conversation(asked(1, "Sum")).items():
            connection.execute("INSERT INTO cursorDiskKV (key, value) VALUES (?, ?)", (key, json.dumps(value)))
        connection.commit()
    records, rejected, _ = read(path)
    assert (sorted(records), rejected) == ([NAME], [])


TABS = {
    "tabs": [
        {"tabId": "t1", "chatTitle": "Why", "bubbles": [{"type": "user", "id": "u", "text": "Why?"}]},
        {"tabId": "t2", "bubbles": []},
        {"tabId": "t3", "bubbles": [{"type": "ai", "id": "a", "rawText": "Hello"}]},
    ]
}
INLINE = {
    "allComposers": [
        {"composerId": NAME, "name": "Sum", "conversation": [asked(1, "Sum"), said(2, "Three.")]},
        {"composerId": OTHER, "type": "head", "name": "elsewhere"},
    ]
}


@pytest.mark.parametrize("is_early", [True, False])
def test_databases_of_folders_have_several_conversations_in_one_entry(tmp_path: Path, is_early: bool):
    path = tmp_path / "state.vscdb"
    schema = {"schema": OLDER} if is_early else {}
    write(path, {}, {**PRIVATE, CHATS: TABS, COMPOSERS: INLINE}, **schema)
    records, rejected, file = read(path)
    assert (sorted(records), rejected, file.beside) == ([NAME, "t1", "t3"], [], [])
    assert words(records["t1"]) == [("user", "Why?")]
    assert words(records[NAME]) == [("user", "Sum"), ("assistant", "Three.")]
    assert TOKEN not in str(records)


def test_a_folder_of_user_data_gives_what_is_cursors(tmp_path: Path):
    """Of VS Code's, which has a database of the same name, nothing is taken for Cursor's."""
    user = tmp_path / "User"
    write(user / "globalStorage" / "state.vscdb", conversation(asked(1, "Sum")), PRIVATE)
    write(user / "globalStorage" / "state.vscdb.backup", conversation(asked(1, "old")))
    write(user / "workspaceStorage" / "0a" / "state.vscdb", {}, {COMPOSERS: {"allComposers": [{"composerId": NAME}]}})
    write(user / "workspaceStorage" / "0b" / "state.vscdb", {}, {"chat.ChatSessionStore.index": {}}, OLDER)
    (user / "workspaceStorage" / "0a" / "workspace.json").write_text('{"folder": "file:///work"}')
    (user / "settings.json").write_text('{"editor.fontSize": 12}')
    reading = read_paths([user])
    items = [item for file in reading for item in file.records()]
    assert [each.record.source_id for each in items if isinstance(each, ReadDialogue)] == [NAME]
    assert len(items) == 1
    reasons = {str(Path(each.locator).relative_to(user)): each.reason for each in reading.skipped}
    assert reasons["workspaceStorage/0a/state.vscdb"] == "a database of cursor without conversations"
    assert "; cursor: no table cursorDiskKV" in reasons["workspaceStorage/0b/state.vscdb"]
    assert reasons["globalStorage/state.vscdb.backup"] == "not JSON (.backup)"
    assert reasons["workspaceStorage/0a/workspace.json"] == "a companion of the export: folder of the workspace"


def test_the_newest_rows_of_a_running_editor_are_read(tmp_path: Path):
    path = write(tmp_path / "state.vscdb", conversation(asked(1, "Sum")))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        value = json.dumps(conversation(asked(1, "Other"), name=OTHER)[f"bubbleId:{OTHER}:b1"])
        connection.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"bubbleId:{OTHER}:b1", value))
        connection.commit()
        reading = read_paths([tmp_path])
        names = [each.record.source_id for file in reading for each in file.records() if isinstance(each, ReadDialogue)]
        assert names == [NAME, OTHER]
        assert {each.reason for each in reading.skipped} == {"read with the database of its name"}
