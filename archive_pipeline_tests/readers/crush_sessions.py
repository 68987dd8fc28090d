"""Sessions of Crush for tests: schemas of its database, rows, and what is read of them."""

from __future__ import annotations

import json
from typing import Any

from archive_pipeline.domain.records import DialogueRecord, PartType
from archive_pipeline.readers.crush import READER
from archive_pipeline.readers.registry import recognise

# As the first migration makes it, and what later ones add.
EARLY = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
    message_count INTEGER NOT NULL DEFAULT 0, prompt_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0.0, updated_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL);
CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    UNIQUE(path, session_id, version));
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL,
    parts TEXT NOT NULL DEFAULT '[]', model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    finished_at INTEGER);
"""
LATER = """
ALTER TABLE sessions ADD COLUMN summary_message_id TEXT;
ALTER TABLE messages ADD COLUMN provider TEXT;
ALTER TABLE messages ADD COLUMN is_summary_message INTEGER DEFAULT 0 NOT NULL;
ALTER TABLE sessions ADD COLUMN todos TEXT;
CREATE TABLE read_files (session_id TEXT NOT NULL, path TEXT NOT NULL, read_at INTEGER NOT NULL,
    PRIMARY KEY (path, session_id));
ALTER TABLE messages ADD COLUMN prism_model_id TEXT;
ALTER TABLE messages ADD COLUMN prism_model_name TEXT;
ALTER TABLE messages ADD COLUMN prism_hypercredit_savings REAL;
ALTER TABLE messages ADD COLUMN prism_dollar_savings REAL;
"""
START = 1_770_112_800  # 2026-02-03, 10:00
OWN = "e49948d6-3e9d-41d4-ab68-872b8ebf8b8e"
TEXT, CONTEXT, THINKING, ERROR = PartType.TEXT, PartType.CONTEXT, PartType.THINKING, PartType.ERROR
USE, RESULT, IMAGE = PartType.TOOL_USE, PartType.TOOL_RESULT, PartType.IMAGE
SESSION = {"id": OWN, "title": "Rain", "prompt_tokens": 7, "updated_at": START + 300, "created_at": START}


def part(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


def text(said: str, **more: Any) -> dict[str, Any]:
    return part("text", text=said, **more)


def finish(reason: str, **more: Any) -> dict[str, Any]:
    return part("finish", reason=reason, time=START, **more)


def call(name: str, tool: str, arguments: str) -> dict[str, Any]:
    return part("tool_call", id=name, name=tool, input=arguments, provider_executed=False, finished=True)


def result(name: str, tool: str, content: str, **more: Any) -> dict[str, Any]:
    empty = {"data": "", "mime_type": "", "metadata": "", "is_error": False}
    return part("tool_result", tool_call_id=name, name=tool, content=content, **{**empty, **more})


def message(number: int, role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    """A row of a message, a second after the one before it."""
    moment = START + number
    about = {"id": f"00000000-0000-4000-8000-{number:012}", "session_id": OWN, "role": role, "parts": list(parts)}
    return {**about, "model": "", "created_at": moment, "updated_at": moment, "finished_at": None, **more}


def stored(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "parts": json.dumps(row["parts"])}


FOLDER = json.dumps({"output": "rain\n", "working_directory": "/w"})
SAID = (
    message(1, "user", text("Is it wet?"), finish("stop")),
    message(2, "assistant", call("c1", "bash", '{"command":"look"}'), finish("tool_use"), model="m"),
    message(3, "tool", result("c1", "bash", "rain", metadata=FOLDER), finish("stop")),
    message(4, "assistant", text("Yes."), finish("end_turn"), model="m"),
)


def rows(*messages: Any, **about: Any) -> DialogueRecord:
    tables = {"messages": list(messages), "sessions": [{**SESSION, "message_count": len(messages), **about}]}
    value = {"database": "crush", "conversation_id": about.get("id", OWN), "tables": tables}
    assert recognise(value).source == "crush"
    record = READER.read(value, "x")
    assert isinstance(record, DialogueRecord)
    return record
