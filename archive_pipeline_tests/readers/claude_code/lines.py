"""Invented lines of Claude Code's sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from archive_pipeline.domain.records import DialogueRecord
from archive_pipeline.readers.claude_code import READER

SESSION = "11111111-2222-4333-8444-555555555555"
Line = dict[str, Any]


def uuid(name: str) -> str:
    """A UUID for a short name of letters and digits."""
    return f"{name.encode().hex():0>8}-0000-4000-8000-000000000000"


def entry(kind: str, name: str, parent: str | None, second: int, **more: Any) -> Line:
    return {
        "parentUuid": None if parent is None else uuid(parent),
        "isSidechain": False,
        "userType": "external",
        "cwd": "/work/shop",
        "sessionId": SESSION,
        "version": "2.1.114",
        "gitBranch": "main",
        "type": kind,
        "uuid": uuid(name),
        "timestamp": f"2026-04-18T13:{second // 60:02}:{second % 60:02}.000Z",
        **more,
    }


def said(name: str, parent: str | None, second: int, content: Any, **more: Any) -> Line:
    return entry("user", name, parent, second, message={"role": "user", "content": content}, **more)


def answer(
    name: str, parent: str | None, second: int, answer_id: str, *blocks: Any, tokens: int = 1, **more: Any
) -> Line:
    message = {
        "model": "claude-opus-4-7",
        "id": answer_id,
        "type": "message",
        "role": "assistant",
        "content": list(blocks),
        "stop_reason": None,
        "usage": {"input_tokens": 6, "output_tokens": tokens},
    }
    return entry("assistant", name, parent, second, message=message, **{"requestId": f"req_{answer_id}", **more})


def text(words: str) -> Line:
    return {"type": "text", "text": words}


def call(call_id: str, tool: str, **arguments: Any) -> Line:
    return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments, "caller": {"type": "direct"}}


def result(name: str, parent: str, second: int, call_id: str, content: Any, **more: Any) -> Line:
    block = {"tool_use_id": call_id, "type": "tool_result", "content": content}
    return said(name, parent, second, [block], sourceToolAssistantUUID=uuid(parent), **more)


def session(*lines: Any, file: str = f"{SESSION}.jsonl") -> dict[str, Any]:
    return {"file": file, "lines": list(lines)}


def read(*lines: Any, **more: Any) -> DialogueRecord:
    record = READER.read(session(*lines, **more), "one.jsonl")
    assert isinstance(record, DialogueRecord)
    return record


def chain(record: DialogueRecord) -> list[tuple[str, str | None, str]]:
    """The messages of a session with their parents, by their short names."""
    names = {uuid_of: bytes.fromhex(uuid_of[:8].lstrip("0")).decode() for uuid_of in _uuids(record)}
    return [
        (names.get(m.source_id, m.source_id), names.get(m.parent_source_id or "", m.parent_source_id), m.role)
        for m in record.messages
    ]


def _uuids(record: DialogueRecord) -> set[str]:
    ids = {m.source_id for m in record.messages} | {m.parent_source_id for m in record.messages}
    return {name for name in ids if name is not None and name.endswith("-0000-4000-8000-000000000000")}


def lines_of(path: Path, *lines: Any) -> Path:
    """A file of JSON lines, with the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def session_file(folder: Path, name: str = SESSION, agent: str | None = None) -> Path:
    """The file of a session, or of a subagent of it; all subagents of one name are copies of each other."""
    of_agent = {} if agent is None else {"agentId": agent, "isSidechain": True}
    began = f"{name if agent is None else agent}-"
    lines = [said(began + "u", None, 0, "count"), answer(began + "a", began + "u", 1, began + "m", text("Three."))]
    path = folder / (f"{name}.jsonl" if agent is None else f"{name}/subagents/agent-{agent}.jsonl")
    return lines_of(path, *(line | {"sessionId": name} | of_agent for line in lines))


def parts(record: DialogueRecord) -> list[list[tuple[str, str | None]]]:
    """The types and texts of the parts of each message."""
    return [[(part.part_type.value, part.text) for part in message.parts] for message in record.messages]
