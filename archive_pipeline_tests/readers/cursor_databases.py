"""Databases of Cursor for tests, as its versions make them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

OLDER = "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);"
NEWER = f"""
{OLDER}
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER, lastUpdatedAt INTEGER,
    isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER, value TEXT);
"""
CHATS = "workbench.panel.aichat.view.aichat.chatdata"
COMPOSERS = "composer.composerData"
START = 1_767_225_600_000
NAME = "5f1ce2b1-0c1d-4a52-9b8e-2f60f3a1d001"
Entries = Mapping[str, Any]


def write(path: Path, entries: Entries, items: Entries | None = None, schema: str = NEWER) -> Path:
    """Write a database with entries of Cursor's own table, and items of the other; more are added to one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        if not path.stat().st_size:
            connection.executescript(schema)
        for table, some in (("cursorDiskKV", entries), ("ItemTable", items or {})):
            for key, value in some.items():
                written = value if isinstance(value, str | bytes) else json.dumps(value)
                connection.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, written))  # noqa: S608
        connection.commit()
    return path


def conversation(*bubbles: Mapping[str, Any], name: str = NAME, **about: Any) -> dict[str, Any]:
    """Return the entries of a conversation whose messages are rows."""
    headers = [{"bubbleId": each["bubbleId"], "type": each["type"]} for each in bubbles]
    composer = {"composerId": name, "name": "Sum", "createdAt": START, "fullConversationHeadersOnly": headers, **about}
    rows = {f"bubbleId:{name}:{each['bubbleId']}": dict(each) for each in bubbles}
    return {f"composerData:{name}": composer, **rows}


def asked(at: int, text: str, **more: Any) -> dict[str, Any]:
    """Return a prompt."""
    return _bubble(at, 1, text, **more)


def said(at: int, text: str = "", **more: Any) -> dict[str, Any]:
    """Return a piece of an answer."""
    return _bubble(at, 2, text, **more)


def called(at: int, **call: Any) -> dict[str, Any]:
    """Return a call of a tool."""
    return said(at, toolFormerData={"tool": 15, "name": "read_file", "toolCallId": f"c{at}", **call})


def _bubble(at: int, kind: int, text: str, **more: Any) -> dict[str, Any]:
    created = f"2026-01-01T00:00:{at:02}.000Z"
    return {"_v": 3, "bubbleId": f"b{at}", "type": kind, "text": text, "createdAt": created, **more}
