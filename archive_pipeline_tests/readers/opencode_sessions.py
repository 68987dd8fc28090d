"""Sessions of OpenCode for tests, as exports of its two versions have them."""

from __future__ import annotations

from typing import Any

from archive_pipeline.domain.records import DialogueRecord, MessageRecord
from archive_pipeline.readers.opencode.dialogue import read_session

SESSION = "ses_5f1ce2b1affe8ZmU3xYhWq0aVb"
START = 1_767_225_600_000  # 2026-01-01
INFO = {
    "id": SESSION,
    "slug": "brave-otter",
    "version": "1.2.10",
    "projectID": "4b0ea68d7af9a6031a7ffda7ad66e0cb83315750",
    "directory": "/work/loess",
    "title": "Sum of the horizons",
    "time": {"created": START, "updated": START + 9_000},
}
DIGEST = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"  # of "hi"
PICTURE = "data:image/png;base64,aGk="
Item = dict[str, Any]


def part(kind: str, number: int = 1, **said: Any) -> Item:
    return {"id": f"prt_{number:02}", "sessionID": SESSION, "messageID": "", "type": kind, **said}


def message(name: str, role: str, *parts: Item, **about: Any) -> Item:
    """A message of version 1; answers say which model gave them, and when they were whole."""
    created = START + 1_000 * int(name[-1])
    info = {"id": name, "sessionID": SESSION, "role": role, "agent": "build", "time": {"created": created}}
    if role == "assistant":
        answer = {"parentID": "msg_1", "providerID": "anthropic", "modelID": "claude-sonnet-4-5", "mode": "build"}
        info |= {**answer, "time": {"created": created, "completed": created + 500}, "cost": 0.01}
    return {"info": {**info, **about}, "parts": [{**each, "messageID": name} for each in parts]}


def tool(call: str, state: Item, number: int = 1, name: str = "bash") -> Item:
    return part("tool", number, callID=call, tool=name, state=state)


def done(output: str, **more: Any) -> Item:
    return {
        "status": "completed",
        "input": {"command": "ls"},
        "output": output,
        "title": "List",
        "metadata": {"exit": 0},
        "time": {"start": START, "end": START + 1},
        **more,
    }


def export(*messages: Any, **info: Any) -> Item:
    return {"info": {**INFO, **info}, "messages": list(messages)}


def entry(name: str, kind: str, **said: Any) -> Item:
    """A message of version 2."""
    return {"id": name, "type": kind, "time": {"created": START + 1_000 * int(name[-1])}, **said}


NEWER = {
    "id": SESSION,
    "projectID": "p",
    "title": "Sum",
    "location": {"directory": "/work/loess"},
    "cost": 0.5,
    "time": {"created": START, "updated": START + 9_000},
}


def read(value: Item) -> DialogueRecord:
    record = read_session(value, "s.json")
    assert isinstance(record, DialogueRecord)
    return record


def parts(record: MessageRecord) -> list[tuple[str, str | None]]:
    return [(each.part_type.value, each.text) for each in record.parts]


def who(record: DialogueRecord) -> list[tuple[str, bool, str]]:
    return [(each.role, each.is_hidden, each.state) for each in record.messages]
