"""Threads of Zed for tests: the schema of its database, messages of each version, and what is read of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from archive_pipeline.domain.records import DialogueRecord, PartType, RejectedRecord
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline.readers.zed import READER
from archive_pipeline_tests.readers.llm_databases import write_database

# As the first version with a database makes it, and what later versions add.
EARLY = """
CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL,
    data BLOB NOT NULL);
"""
LATER = """
ALTER TABLE threads ADD COLUMN parent_id TEXT;
ALTER TABLE threads ADD COLUMN folder_paths TEXT;
ALTER TABLE threads ADD COLUMN folder_paths_order TEXT;
ALTER TABLE threads ADD COLUMN created_at TEXT;
"""
TEXT, CONTEXT, THINKING, ERROR = PartType.TEXT, PartType.CONTEXT, PartType.THINKING, PartType.ERROR
USE, RESULT, IMAGE, UNKNOWN = PartType.TOOL_USE, PartType.TOOL_RESULT, PartType.IMAGE, PartType.UNKNOWN
OWN = "5f1a1c1e-58a6-4b62-9d3d-0a9a6f0c7a01"
ASKED = "0b7c2b62-3c52-4f6e-9f5a-0d7a3f2e1c11"
AGAIN = "0b7c2b62-3c52-4f6e-9f5a-0d7a3f2e1c12"
DAY = "2026-02-03T10:00:00+00:00"
LATE = "2026-02-03T10:05:00+00:00"


def user(name: str, *content: Any) -> dict[str, Any]:
    return {"User": {"id": name, "content": list(content)}}


def agent(*content: Any, results: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"Agent": {"content": list(content), "tool_results": results or {}, "reasoning_details": None}}


def call(name: str, tool: str, given: Any, raw: str | None = None) -> dict[str, Any]:
    written = json.dumps(given) if raw is None else raw
    whole = {"id": name, "name": tool, "raw_input": written, "input": given, "is_input_complete": True}
    return {"ToolUse": {**whole, "thought_signature": None}}


def result(name: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"tool_use_id": name, "tool_name": "weather", "is_error": False, "content": content, "output": None, **more}


SAID = (
    user(ASKED, {"Text": "Is it wet?"}),
    agent(
        {"Thinking": {"text": "Look.", "signature": "s"}},
        {"Text": "I will look."},
        call("c1", "weather", {"at": "x"}),
        results={"c1": result("c1", [{"Text": "rain"}], output="rain")},
    ),
    agent({"Text": "Yes."}),
    user(AGAIN, {"Text": "Thanks"}),
)


def thread(*messages: Any, **about: Any) -> dict[str, Any]:
    model = {"provider": "zed.dev", "model": "claude-sonnet-4"}
    whole = {"title": "Rain", "messages": list(messages), "updated_at": LATE, "model": model, "version": "0.3.0"}
    return {**whole, "request_token_usage": {}, **about}


def early(version: str | None, *messages: Any, **about: Any) -> dict[str, Any]:
    own = {} if version is None else {"version": version}
    return {**own, "summary": "Rain", "updated_at": LATE, "messages": list(messages), **about}


def compress(data: bytes) -> bytes:
    packed = pa.compress(data, codec="zstd", asbytes=True)
    assert isinstance(packed, bytes)
    return packed


def row(said: Any, name: str | None = OWN, **more: Any) -> dict[str, Any]:
    data = said if isinstance(said, bytes) else compress(json.dumps(said).encode())
    return {"id": name, "summary": "Rain", "updated_at": LATE, "data_type": "zstd", "data": data, **more}


def database(folder: Path, *rows: dict[str, Any]) -> Path:
    return write_database(folder / "threads.db", {"threads": rows}, EARLY + LATER)


def items(path: Path) -> tuple[list[DialogueRecord], list[RejectedRecord]]:
    found = [item for file in read_paths([path]) for item in file.records()]
    rejected = [item for item in found if isinstance(item, RejectedRecord)]
    return [item.record for item in found if isinstance(item, ReadDialogue)], rejected


def read(value: dict[str, Any]) -> DialogueRecord:
    assert recognise(value).source == "zed"
    record = READER.read(value, "x")
    assert isinstance(record, DialogueRecord)
    return record
