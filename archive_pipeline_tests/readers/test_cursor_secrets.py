"""Cursor's keys: those to what it keeps elsewhere are in no value that is handed on, those in files are not read."""

from __future__ import annotations

import base64
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from time import perf_counter

import pytest

from archive_pipeline.readers.cursor.database import DATABASE
from archive_pipeline.readers.databases.values import Text, entry_as_json
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.reading import read_paths
from archive_pipeline_tests.readers.cursor_databases import NAME, asked, conversation, write
from archive_pipeline_tests.readers.llm_databases import read

TOKEN = "eyJhbGciOi-token-of-the-user"  # noqa: S105 - a test's
BLOB_KEY = "blobEncryptionKey"
OTHER_KEY = "speculativeSummarizationEncryptionKey"
HELD = json.dumps({BLOB_KEY: TOKEN, "kept": "beside it", OTHER_KEY: TOKEN})
COMPOSER = json.dumps(conversation(asked(1, "Sum"), **json.loads(HELD))[f"composerData:{NAME}"])


@pytest.mark.parametrize(
    "value",
    [
        COMPOSER[:-1],
        COMPOSER[: COMPOSER.rindex(TOKEN) + 9],
        f"{HELD}{HELD}",
        f'{{"a": 1,, "{BLOB_KEY}" : "{TOKEN}", "kept": "beside it"}}',
        f'{{"a": 1,, "{BLOB_KEY}": "x\\"{TOKEN}\\/{TOKEN}", "kept": "beside it"}}',
        f'{{"{BLOB_KEY}": "{TOKEN}", "kept": "beside it", "{BLOB_KEY}": "{TOKEN}"}}',
        f'{{"blob\\u0045ncryptionKey": "{TOKEN}", "kept": "beside it"}}',
        f"\ufeff{COMPOSER}",
        json.dumps(HELD),
        json.dumps({"text": HELD}),
        json.dumps({"text": HELD})[:-1],
        json.dumps({"text": json.dumps({"text": HELD})}),
        json.dumps(json.dumps({"text": json.dumps({"text": HELD})}))[:-1],
        f"[{HELD}]",
        json.dumps({"a": [{"b": json.loads(HELD)}]}),
        "[" * 300 + HELD + "]" * 300,
        f'{{"{BLOB_KEY}": {{"k": "{TOKEN}"}}, "kept": "beside it"}}',
    ],
)
@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_keys_to_what_is_elsewhere_are_never_handed_on(value: str, encoding: str | None):
    written = Text(value.encode()) if encoding is None else value.encode(encoding)
    said = entry_as_json(written, DATABASE.secrets)
    parsed = str(parse_json(said)[0])
    assert TOKEN[:9] not in parsed
    assert base64.b64encode(TOKEN.encode()).decode()[:12] not in parsed
    assert "beside it" in parsed or "Sum" in parsed


def test_a_key_is_not_handed_on_by_the_list_of_conversations(tmp_path: Path):
    path = write(tmp_path / "state.vscdb", conversation(asked(1, "Sum")))
    with closing(sqlite3.connect(path)) as connection:
        for value in (HELD, HELD.encode(), HELD[:-1].encode("utf-16")):
            connection.execute("INSERT INTO composerHeaders (composerId, value) VALUES (?, ?)", (f"{value!r}", value))
        connection.execute("UPDATE composerHeaders SET composerId = rowid")
        connection.execute("UPDATE composerHeaders SET composerId = ? WHERE rowid = 1", (NAME,))
        connection.commit()
    records, _, _ = read(path)
    [row] = records[NAME].source_json["tables"]["composerHeaders"]
    assert row["value"] == {"kept": "beside it"}


@pytest.mark.parametrize(
    "unit", [f"{BLOB_KEY}", f'{BLOB_KEY}"', f'{BLOB_KEY}":"', f'{BLOB_KEY}" : "a', f'{BLOB_KEY}"  ']
)
@pytest.mark.parametrize("filling", ["\\", " ", '"', '\\"', "a"])
def test_texts_that_are_no_json_are_searched_for_keys_in_linear_time(unit: str, filling: str):
    text = Text((unit + filling * 100_000 + unit * 5_000).encode())
    started = perf_counter()
    entry_as_json(text, DATABASE.secrets)
    assert perf_counter() - started < 2  # a quadratic search takes minutes


@pytest.mark.parametrize("name", ["mcp.json", "cli-config.json", "User/mcp.json"])
def test_keys_of_tools_beside_the_conversations_are_never_opened(tmp_path: Path, name: str):
    write(tmp_path / "User" / "globalStorage" / "state.vscdb", conversation(asked(1, "Sum")))
    (tmp_path / name).write_text(f'[{{"mapping": {{}}, "key": "{TOKEN}"')
    reading = read_paths([tmp_path])
    assert [file.source for file in reading for _ in file.records()] == ["cursor"]
    assert [each.reason for each in reading.skipped] == [f"private and never opened: {Path(name).name}"]


def test_a_link_to_keys_of_a_projects_tools_is_not_followed(tmp_path: Path):
    (tmp_path / ".mcp.json").write_text("[")
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "servers.json").symlink_to(tmp_path / ".mcp.json")
    reading = read_paths([tmp_path / "given"])
    assert [item for file in reading for item in file.records()] == []
    assert [each.reason for each in reading.skipped] == ["private and never opened: .mcp.json"]
