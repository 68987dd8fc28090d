"""Sessions of Goose for tests: schemas of its database, messages, and what is read of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from archive_pipeline.domain.records import DialogueRecord, PartType
from archive_pipeline.readers.goose import READER
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise

# As the first version with a database makes it, and what schema versions up to 17 add.
EARLY = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT NOT NULL DEFAULT '', working_dir TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    extension_data TEXT DEFAULT '{}', total_tokens INTEGER, schedule_id TEXT, recipe_json TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER);
"""
LATER = """
ALTER TABLE sessions ADD COLUMN name TEXT DEFAULT '';
ALTER TABLE sessions ADD COLUMN user_set_name BOOLEAN DEFAULT FALSE;
ALTER TABLE sessions ADD COLUMN session_type TEXT NOT NULL DEFAULT 'user';
ALTER TABLE sessions ADD COLUMN model_config_json TEXT;
ALTER TABLE sessions ADD COLUMN parent_session_id TEXT;
ALTER TABLE messages ADD COLUMN message_id TEXT;
ALTER TABLE messages ADD COLUMN metadata_json TEXT;
CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, created_timestamp INTEGER,
    model TEXT, total_tokens INTEGER);
CREATE TABLE thread_messages (id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, content_json TEXT NOT NULL);
"""
START = 1_770_112_800  # 2026-02-03, 10:00
DAY = "2026-02-03 10:00:00"
TEXT, CONTEXT, THINKING, ERROR = PartType.TEXT, PartType.CONTEXT, PartType.THINKING, PartType.ERROR
USE, RESULT, IMAGE, FILE = PartType.TOOL_USE, PartType.TOOL_RESULT, PartType.IMAGE, PartType.FILE
OWN = "0b7c2b62-3c52-4f6e-9f5a-0d7a3f2e1c11"
SESSION = {"id": "20260203_1", "working_dir": "/w", "created_at": DAY, "updated_at": "2026-02-03 10:05:00"}
HEADER = {"working_dir": "/w", "description": "Rain", "message_count": 4, "total_tokens": 7}
HIDDEN = {"userVisible": False, "agentVisible": True}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def call(name: str, tool: str, arguments: Any) -> dict[str, Any]:
    value = {"name": tool, "arguments": arguments}
    return {"type": "toolRequest", "id": name, "toolCall": {"status": "success", "value": value}}


def result(name: str, **outcome: Any) -> dict[str, Any]:
    return {"type": "toolResponse", "id": name, "toolResult": {"status": "success", **outcome}}


def message(second: int, role: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    return {"id": None, "role": role, "created": START + second, "content": list(blocks), **more}


SAID = (
    message(1, "user", text("Is it wet?")),
    message(2, "assistant", text("I will look."), call("c1", "weather", {"at": "x"})),
    message(2, "user", result("c1", value=[text("rain")])),
    message(4, "assistant", text("Yes."), id="chatcmpl-7"),
)


def row(number: int, said: dict[str, Any], session: str) -> dict[str, Any]:
    columns = {"role": said["role"], "content_json": json.dumps(said["content"]), "created_timestamp": said["created"]}
    return {"id": number, "session_id": session, **columns}


def dialogues(path: Path) -> list[DialogueRecord]:
    items = [item for file in read_paths([path]) for item in file.records()]
    return [item.record for item in items if isinstance(item, ReadDialogue)]


def read(value: dict[str, Any]) -> DialogueRecord:
    assert recognise(value).source == "goose"
    record = READER.read(value, "x")
    assert isinstance(record, DialogueRecord)
    return record


def exported(*messages: dict[str, Any], **about: Any) -> DialogueRecord:
    return read({**SESSION, "conversation": list(messages), "message_count": len(messages), **about})
