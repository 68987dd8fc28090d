"""Sessions of OpenCode: exports of both versions and rows of its database, with every kind of part and entry."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], dict[str, Any]]
_START: Final = 1_767_225_600_000


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return an export of either version, or the rows of a session."""
    return random.choice((export, export, entries, rows))(random, marks)


def session(random: Random, marks: Marks) -> dict[str, Any]:
    """Return what version 1 says of a session."""
    beside = random.choice(({}, {"parentID": marks.text()}, {"share": {"url": marks.text()}}))
    return {
        "id": marks.text(),
        "slug": marks.text(),
        "projectID": marks.text(),
        "directory": marks.text(),
        "path": marks.text(),
        "title": random.choice((marks.text(), "New session - 2026-01-01T00:00:00.000Z")),
        "version": marks.text(),
        "summary": {"additions": marks.number(), "deletions": 1, "files": 2, "diffs": [{"file": marks.text()}]},
        "permission": [{"permission": marks.text(), "pattern": marks.text(), "action": "deny"}],
        "time": {"created": _START, "updated": marks.number()},
        **beside,
    }


def export(random: Random, marks: Marks) -> dict[str, Any]:
    """Return an export of version 1 with up to five messages."""
    info = session(random, marks)
    messages = [message(random, marks, random.choice(("user", "assistant"))) for _ in range(random.randint(0, 5))]
    if messages and random.random() < 0.2:
        info["revert"] = {"messageID": random.choice(messages)["info"]["id"], "snapshot": marks.text()}
    if messages and random.random() < 0.1:
        messages.append({**random.choice(messages), "parts": [PARTS[0](random, marks)]})
    todos = [{"content": marks.text(), "status": "pending", "priority": "high"}] if random.random() < 0.3 else []
    return {"info": info, "messages": messages, "todos": todos}


def message(random: Random, marks: Marks, role: str, parts: list[Any] | None = None) -> dict[str, Any]:
    """Return a message of version 1."""
    made = info(random, marks, role)
    given = [random.choice(PARTS)(random, marks) for _ in range(random.randint(0, 4))] if parts is None else parts
    return {"info": {**made, "id": marks.text(), "sessionID": marks.text()}, "parts": given}


def info(random: Random, marks: Marks, role: str) -> dict[str, Any]:
    """Return what is said of a message, without its ids."""
    said = {"role": role, "agent": marks.text(), "time": {"created": _START}}
    if role != "assistant":
        model = {"providerID": marks.text(), "modelID": marks.text(), "variant": marks.text()}
        summary = {
            "title": marks.text(),
            "body": marks.text(),
            "diffs": [{"file": marks.text(), "patch": marks.text()}],
        }
        return {**said, "model": model, "summary": summary, "system": marks.text(), "tools": {"bash": False}}
    beside: dict[str, Any] = random.choice(({}, {"error": _error(random, marks)}, {"summary": True}))
    return {
        **said,
        "parentID": marks.text(),
        "modelID": marks.text(),
        "providerID": marks.text(),
        "mode": marks.text(),
        "path": {"cwd": marks.text(), "root": marks.text()},
        "cost": 0.25,
        "tokens": _tokens(marks),
        "time": {"created": _START, "completed": marks.number()},
        "finish": random.choice(("stop", "tool-calls")),
        **beside,
    }


def _tokens(marks: Marks) -> dict[str, Any]:
    return {"total": marks.number(), "input": 1, "output": 2, "reasoning": 0, "cache": {"read": 3, "write": 4}}


def _error(random: Random, marks: Marks) -> dict[str, Any]:
    name = random.choice(("MessageAbortedError", "APIError", "UnknownError"))
    return {"name": name, "data": {"message": marks.text(), "statusCode": marks.number(), "isRetryable": True}}


def _file(random: Random, marks: Marks) -> dict[str, Any]:
    beside = random.choice(
        (
            {"url": "data:image/png;base64,aGk=", "mime": "image/png"},
            {"url": marks.text(), "mime": "text/plain", "source": _source(marks)},
            {"url": f"data:text/plain,{marks.text()}", "mime": marks.text()},
        )
    )
    return {"type": "file", "filename": marks.text(), **beside}


def _source(marks: Marks) -> dict[str, Any]:
    return {"type": "file", "path": marks.text(), "text": {"value": marks.text(), "start": 0, "end": 4}}


def _state(random: Random, marks: Marks) -> dict[str, Any]:
    given = {"input": {"command": marks.text()}, "metadata": {"output": marks.text()}}
    return random.choice(
        (
            {"status": "pending", "input": {}, "raw": marks.text()},
            {"status": "running", "title": marks.text(), "time": {"start": 1}, **given},
            {
                "status": "completed",
                "title": marks.text(),
                "output": marks.text(),
                "attachments": [{**_file(random, marks), "id": marks.text()}],
                "time": {"start": 1, "end": marks.number(), "compacted": 3},
                **given,
            },
            {"status": "error", "error": marks.text(), "time": {"start": 1, "end": 2}, **given},
        )
    )


def _of_message(make: _Maker) -> _Maker:
    ids = ("id", "sessionID", "messageID")
    return lambda random, marks: {**{name: marks.text() for name in ids}, **make(random, marks)}


PARTS: Final[tuple[_Maker, ...]] = tuple(
    _of_message(make)
    for make in (
        lambda _random, marks: {"type": "text", "text": marks.text(), "time": {"start": 1, "end": 2}},
        lambda random, marks: {
            "type": "text",
            "text": marks.text(),
            random.choice(("synthetic", "ignored")): True,
            "metadata": {"kind": marks.text()},
        },
        lambda _random, marks: {
            "type": "reasoning",
            "text": marks.text(),
            "time": {"start": 1},
            "metadata": {"anthropic": {"signature": marks.text()}},
        },
        lambda random, marks: {
            "type": "tool",
            "tool": marks.text(),
            "callID": marks.text(),
            "state": _state(random, marks),
            "metadata": {"openai": {"itemId": marks.text()}},
        },
        _file,
        lambda _random, marks: {
            "type": "subtask",
            "prompt": marks.text(),
            "description": marks.text(),
            "agent": marks.text(),
            "command": marks.text(),
            "model": {"providerID": marks.text(), "modelID": marks.text()},
        },
        lambda _random, marks: {
            "type": "compaction", "auto": True, "overflow": False, "tail_start_id": marks.text(),
        },
        lambda _random, marks: {"type": "step-start", "snapshot": marks.text()},
        lambda _random, marks: {
            "type": "step-finish",
            "reason": marks.text(),
            "snapshot": marks.text(),
            "cost": 0.5,
            "tokens": _tokens(marks),
        },
        lambda _random, marks: {"type": "snapshot", "snapshot": marks.text()},
        lambda _random, marks: {"type": "patch", "hash": marks.text(), "files": [marks.text()]},
        lambda _random, marks: {
            "type": "agent", "name": marks.text(), "source": {"value": marks.text(), "start": 0, "end": 3},
        },
        lambda random, marks: {
            "type": "retry", "attempt": marks.number(), "error": _error(random, marks), "time": {"created": 1},
        },
        lambda _random, marks: {"type": "hologram", "text": marks.text()},
    )
)  # fmt: skip


def entries(random: Random, marks: Marks) -> dict[str, Any]:
    """Return an export of version 2 with up to six entries."""
    about = {
        "id": marks.text(),
        "projectID": marks.text(),
        "agent": marks.text(),
        "model": {"id": marks.text(), "providerID": marks.text(), "variant": marks.text()},
        "cost": 0.25,
        "tokens": _tokens(marks),
        "title": marks.text(),
        "location": {"directory": marks.text(), "workspaceID": marks.text()},
        "subpath": marks.text(),
        "time": {"created": _START, "updated": marks.number()},
        **random.choice(({}, {"parentID": marks.text()}, {"fork": {"sessionID": marks.text()}})),
    }
    made = [random.choice(ENTRIES)(random, marks) for _ in range(random.randint(0, 6))]
    return {"info": about, "messages": made}


def _tool_state(random: Random, marks: Marks) -> dict[str, Any]:
    given = {"input": {"path": marks.text()}, "metadata": {"title": marks.text()}}
    content = [
        {"type": "text", "text": marks.text()},
        {"type": "file", "uri": marks.text(), "mime": "image/png", "name": marks.text()},
    ]
    return random.choice(
        (
            {"status": "streaming", "input": marks.text()},
            {"status": "running", **given},
            {"status": "completed", "content": content, **given},
            {"status": "error", "error": {"type": marks.text(), "message": marks.text()}, "content": content, **given},
        )
    )


CONTENTS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"type": "text", "text": marks.text(), "state": {"itemId": marks.text()}},
    lambda _random, marks: {"type": "reasoning", "text": marks.text(), "time": {"created": 1, "completed": 2}},
    lambda random, marks: {
        "type": "tool",
        "id": marks.text(),
        "name": marks.text(),
        "executed": True,
        "providerState": {"itemId": marks.text()},
        "state": _tool_state(random, marks),
        "time": {"created": 1, "ran": 2, "completed": marks.number()},
    },
)


def answer(random: Random, marks: Marks, content: list[Any] | None = None) -> dict[str, Any]:
    """Return the type of an answer of version 2, and what it says."""
    beside: dict[str, Any] = random.choice(({}, {"error": {"type": "aborted", "message": marks.text()}}))
    given = (
        [random.choice(CONTENTS)(random, marks) for _ in range(random.randint(0, 3))] if content is None else content
    )
    return {
        "type": "assistant",
        "agent": marks.text(),
        "model": {"id": marks.text(), "providerID": marks.text(), "variant": "default"},
        "content": given,
        "snapshot": {"start": marks.text(), "end": marks.text(), "files": [marks.text()]},
        "finish": random.choice(("stop", "tool-calls")),
        "tokens": _tokens(marks),
        "cost": 0.25,
        "time": {"created": _START, "completed": marks.number()},
        **beside,
    }


def _prompt(_random: Random, marks: Marks) -> dict[str, Any]:
    mention = {"text": marks.text(), "start": 0, "end": 3}
    return {
        "type": "user",
        "text": marks.text(),
        "files": [{"uri": marks.text(), "mime": "text/plain", "name": marks.text(), "mention": mention}],
        "agents": [{"name": marks.text(), "mention": mention}],
        "metadata": {"source": marks.text()},
    }


def _of_session(make: _Maker) -> _Maker:
    return lambda random, marks: {"id": marks.text(), "time": {"created": _START}, **make(random, marks)}


ENTRIES: Final[tuple[_Maker, ...]] = tuple(
    _of_session(make)
    for make in (
        _prompt,
        answer,
        lambda _random, marks: {"type": "synthetic", "text": marks.text(), "description": marks.text()},
        lambda _random, marks: {"type": "system", "text": marks.text(), "description": marks.text()},
        lambda _random, marks: {"type": "skill", "skill": marks.text(), "name": marks.text(), "text": marks.text()},
        lambda random, marks: {
            "type": "shell",
            "shellID": marks.text(),
            "command": marks.text(),
            "status": "exited",
            "exit": 1,
            "output": random.choice(
                (marks.text(), {"output": marks.text(), "cursor": 3, "size": marks.number(), "truncated": False})
            ),
        },
        lambda _random, marks: {
            "type": "compaction",
            "status": "completed",
            "reason": "auto",
            "summary": marks.text(),
            "recent": marks.text(),
        },
        lambda _random, marks: {"type": "model-switched", "model": {"id": marks.text(), "providerID": marks.text()}},
        lambda _random, marks: {"type": "agent-switched", "agent": marks.text(), "previous": marks.text()},
        lambda _random, marks: {"type": "location-switched", "location": {"directory": marks.text()}},
        lambda _random, _marks: {"type": "idle", "outcome": "succeeded"},
        lambda _random, marks: {"type": "hologram", "text": marks.text()},
    )
)


def rows(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the rows of a session, of either version or of both."""
    name = marks.text()
    older = random.random() < 0.7
    tables: dict[str, list[Any]] = {"project": [{"id": marks.text(), "worktree": marks.text(), "sandboxes": []}]}
    if older:
        tables |= _older(random, marks, name)
    if not older or random.random() < 0.4:
        tables |= _newer(random, marks, name, [row["id"] for row in tables.get("message", [])])
    return {"database": "opencode", "conversation_id": name, "tables": tables}


def _row_of_session(random: Random, marks: Marks, name: str) -> dict[str, Any]:
    return {
        "id": name,
        "project_id": marks.text(),
        "workspace_id": None,
        "parent_id": random.choice((None, marks.text())),
        "slug": marks.text(),
        "directory": marks.text(),
        "title": marks.text(),
        "version": marks.text(),
        "share_url": None,
        "summary_additions": marks.number(),
        "summary_diffs": [{"file": marks.text()}],
        "revert": random.choice((None, {"messageID": marks.text(), "diff": marks.text()})),
        "permission": [{"permission": marks.text()}],
        "agent": marks.text(),
        "model": {"id": marks.text(), "providerID": marks.text()},
        "cost": 0.5,
        "tokens_input": marks.number(),
        "time_created": _START,
        "time_updated": marks.number(),
        "time_archived": None,
    }


def _older(random: Random, marks: Marks, name: str) -> dict[str, list[Any]]:
    messages: list[Any] = []
    parts: list[Any] = []
    for at in range(random.randint(0, 4)):
        said = marks.text()
        times = {"time_created": _START + at, "time_updated": marks.number()}
        data = info(random, marks, random.choice(("user", "assistant")))
        messages.append({"id": said, "session_id": name, **times, "data": data})
        for make in random.choices(PARTS, k=random.randint(0, 3)):
            data = {
                key: item for key, item in make(random, marks).items() if key not in ("id", "sessionID", "messageID")
            }
            row = {"id": marks.text(), "message_id": said, "session_id": name, **times, "data": data}
            parts.append(row if random.random() < 0.95 else {**row, "message_id": marks.text()})
    todo = {"session_id": name, "content": marks.text(), "status": "pending", "priority": "low", "position": 0}
    return {
        "session": [_row_of_session(random, marks, name)],
        "message": messages,
        "part": parts,
        "todo": [{**todo, "time_created": _START, "time_updated": marks.number()}],
    }


def _newer(random: Random, marks: Marks, name: str, taken: list[str]) -> dict[str, list[Any]]:
    made: list[Any] = []
    for at in range(random.randint(0, 4)):
        entry = random.choice(ENTRIES)(random, marks)
        own = random.choice((*taken, entry["id"]))
        data = {key: item for key, item in entry.items() if key not in ("id", "type")}
        times = {"time_created": _START + random.choice((0, 1, 60_000 + at)), "time_updated": marks.number()}
        made.append({"id": own, "session_id": name, "type": entry["type"], "seq": at, **times, "data": data})
    return {"session_v2": [_row_of_session(random, marks, name)], "session_message": made}
