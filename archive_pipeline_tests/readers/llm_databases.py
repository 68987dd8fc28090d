"""Databases of ``llm`` for tests: the tables of both layouts as its versions make them, and rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.reading import FileReading, ReadDialogue, read_paths

LEGACY = """
CREATE TABLE "attachments" ("id" TEXT PRIMARY KEY, "type" TEXT, "path" TEXT, "url" TEXT, "content" BLOB);
CREATE TABLE "conversations" ("id" TEXT PRIMARY KEY, "name" TEXT, "model" TEXT);
CREATE TABLE "fragments" ("id" INTEGER PRIMARY KEY, "hash" TEXT, "content" TEXT, "datetime_utc" TEXT, "source" TEXT);
CREATE TABLE "prompt_attachments" ("response_id" TEXT, "attachment_id" TEXT, "order" INTEGER);
CREATE TABLE "prompt_fragments" ("response_id" TEXT, "fragment_id" INTEGER, "order" INTEGER);
CREATE TABLE "system_fragments" ("response_id" TEXT, "fragment_id" INTEGER, "order" INTEGER);
CREATE TABLE "schemas" ("id" TEXT PRIMARY KEY, "content" TEXT);
CREATE TABLE "tools" ("id" INTEGER PRIMARY KEY, "hash" TEXT, "name" TEXT, "description" TEXT);
CREATE TABLE "tool_responses" ("tool_id" INTEGER, "response_id" TEXT);
CREATE TABLE "tool_calls" ("id" INTEGER PRIMARY KEY, "response_id" TEXT, "tool_id" INTEGER, "name" TEXT,
    "arguments" TEXT, "tool_call_id" TEXT);
CREATE TABLE "tool_results" ("id" INTEGER PRIMARY KEY, "response_id" TEXT, "tool_id" INTEGER, "name" TEXT,
    "output" TEXT, "tool_call_id" TEXT, "instance_id" INTEGER, "exception" TEXT);
CREATE TABLE "tool_results_attachments" ("tool_result_id" INTEGER, "attachment_id" TEXT, "order" INTEGER);
CREATE TABLE "responses" ("id" TEXT PRIMARY KEY, "model" TEXT, "prompt" TEXT, "system" TEXT, "prompt_json" TEXT,
    "options_json" TEXT, "response" TEXT, "response_json" TEXT, "conversation_id" TEXT, "duration_ms" INTEGER,
    "datetime_utc" TEXT, "schema_id" TEXT, "resolved_model",  "reasoning" TEXT);
"""
STORE = """
CREATE TABLE "messages" ("hash" TEXT PRIMARY KEY, "parent_hash" TEXT, "role" TEXT, "provider_metadata" TEXT);
CREATE TABLE "parts" ("id" INTEGER PRIMARY KEY, "message_hash" TEXT, "position" INTEGER, "type" TEXT,
    "tool_name" TEXT, "text" TEXT, "payload" TEXT);
CREATE TABLE "part_attachments" ("part_id" INTEGER, "attachment_id" TEXT, "order" INTEGER);
CREATE TABLE "part_fragments" ("part_id" INTEGER, "fragment_id" INTEGER, "order" INTEGER);
CREATE TABLE "threads" ("id" TEXT PRIMARY KEY, "name" TEXT, "tip_message_hash" TEXT, "forked_from" TEXT,
    "datetime_utc" TEXT);
CREATE TABLE "turns" ("id" TEXT PRIMARY KEY, "thread_id" TEXT, "parent_message_hash" TEXT, "tip_message_hash" TEXT,
    "model" TEXT, "datetime_utc" TEXT);
"""
Rows = Mapping[str, Iterable[Mapping[str, Any]]]


def write_database(path: Path, rows: Rows, schema: str = LEGACY + STORE) -> Path:
    """Write a database with some rows by table; tables that are there already are added to."""
    with closing(sqlite3.connect(path)) as connection:
        if not path.stat().st_size:
            connection.executescript(schema)
        add_rows(connection, rows)
        connection.commit()
    return path


def add_rows(connection: sqlite3.Connection, rows: Rows) -> None:
    """Insert rows by table."""
    for table, some in rows.items():
        for row in some:
            columns = ", ".join(f'"{name}"' for name in row)
            places = ", ".join("?" * len(row))
            connection.execute(f'INSERT INTO "{table}" ({columns}) VALUES ({places})', list(row.values()))  # noqa: S608


def response(name: str, prompt: str | None, answer: str | None, conversation: str | None = "c1", **more: Any) -> Any:
    """Return a row of ``responses``; ids end in a minute."""
    time = f"2026-11-21T20:{name[-2:]}:50.927454+00:00"
    row = {"id": name, "model": "gpt-x", "prompt": prompt, "response": answer, "conversation_id": conversation}
    return {**row, "datetime_utc": time, **more}


def conversations(count: int, first: int = 0) -> dict[str, list[Any]]:
    """Return rows of so many conversations of one prompt and answer each."""
    numbers = range(first, first + count)
    return {
        "conversations": [{"id": f"c{at:05}", "name": f"N{at}", "model": "gpt-x"} for at in numbers],
        "responses": [response(f"r{at:05}01", f"q{at}", f"a{at} " * 30, f"c{at:05}") for at in numbers],
    }


def message(name: str, parent: str | None, role: str, *parts: Mapping[str, Any] | str) -> dict[str, list[Any]]:
    """Return the rows of a stored message; a text stands for a part."""
    about = {"hash": name, "parent_hash": parent, "role": role}
    made = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {
        "messages": [about],
        "parts": [{"message_hash": name, "position": at, **part} for at, part in enumerate(made)],
    }


def turn(name: str, thread: str | None, parent: str | None, tip: str, minute: int, model: str = "gpt-x") -> Any:
    """Return a row of ``turns``."""
    time = f"2026-11-21T21:{minute:02}:00+00:00"
    about = {"id": name, "thread_id": thread, "model": model, "datetime_utc": time}
    return {**about, "parent_message_hash": parent, "tip_message_hash": tip}


def thread(name: str, tip: str | None, **more: Any) -> Any:
    """Return a row of ``threads``."""
    return {"id": name, "name": f"thread {name}", "tip_message_hash": tip, **more}


def together(*rows: Rows) -> dict[str, list[Any]]:
    """Return rows of several sets, by table."""
    found: dict[str, list[Any]] = {}
    for some in rows:
        for table, each in some.items():
            found.setdefault(table, []).extend(each)
    return found


def read(path: Path) -> tuple[dict[str, DialogueRecord], list[RejectedRecord], FileReading]:
    """Return the dialogues of a file by id, what is rejected, and the file."""
    [file] = read_paths([path])
    items = list(file.records())
    records = {item.record.source_id or "": item.record for item in items if isinstance(item, ReadDialogue)}
    return records, [item for item in items if isinstance(item, RejectedRecord)], file


def said(record: DialogueRecord) -> list[tuple[str, str | None]]:
    """Return who says what in a dialogue."""
    return [(message.role, message.parts[0].text if message.parts else None) for message in record.messages]
