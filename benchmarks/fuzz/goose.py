"""Sessions of Goose as its database, its exports and its files have them, with every block, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final
from uuid import UUID

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
_TIME: Final = 1_770_112_800
_DAY: Final = "2026-02-03 10:00:00"


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a session with up to six messages in one of its forms."""
    messages = [
        message(random, marks, random.choice(ROLES), content(random, marks)) for _ in range(random.randint(0, 6))
    ]
    return random.choice((in_database, in_export, in_lines))(random, marks, messages)


def in_database(random: Random, marks: Marks, messages: list[Any]) -> dict[str, Any]:
    """Return the rows of a session, which another one started."""
    own, parent = f"20260203_{random.randint(1, 99)}", marks.text()
    rows = [
        {
            "id": number,
            "message_id": said["id"],
            "session_id": own,
            "role": said["role"],
            "content_json": said["content"],
            "created_timestamp": said["created"],
            "timestamp": _DAY,
            "tokens": random.choice((None, marks.number())),
            "metadata_json": said["metadata"],
        }
        for number, said in enumerate(messages, 1)
    ]
    about = {
        **_about(random, marks, own),
        "parent_session_id": random.choice((None, parent)),
        "session_type": random.choice(("user", "sub_agent")),
        "accumulated_total_tokens": marks.number(),
        "model_config_json": {"model_name": marks.text(), "context_limit": marks.number()},
    }
    usage = {"id": 1, "session_id": own, "created_timestamp": _TIME, "model": marks.text(), "cost": marks.number()}
    tables = {"messages": rows, "sessions": [about, _about(random, marks, parent)], "usage_ledger": [usage]}
    return {"database": "goose", "conversation_id": own, "tables": tables}


def in_export(random: Random, marks: Marks, messages: list[Any]) -> dict[str, Any]:
    """Return what ``session export`` writes."""
    return {
        **_about(random, marks, marks.text()),
        "usage": {"input_tokens": marks.number()},
        "model_config": random.choice((None, {"model_name": marks.text()})),
        "conversation": messages,
        "message_count": len(messages),
    }


def in_lines(random: Random, marks: Marks, messages: list[Any]) -> dict[str, Any]:
    """Return the object that a file of an earlier version is read as."""
    others: tuple[Any, ...] = ({"depth": marks.number()}, {"unreadable_line": marks.text()}, [marks.text()])
    lines = [header(marks), *messages, *random.choices((*others, *messages), k=random.randint(0, 2))]
    return {"file": f"{marks.text()}.jsonl", "lines": lines}


def header(marks: Marks) -> dict[str, Any]:
    """Return the first line of a file."""
    return {
        "working_dir": marks.text(),
        "description": marks.text(),
        "schedule_id": marks.text(),
        "message_count": 2,
        "total_tokens": marks.number(),
    }


def _about(random: Random, marks: Marks, own: str) -> dict[str, Any]:
    return {
        "id": own,
        "name": random.choice((marks.text(), "New Chat", "")),
        "description": marks.text(),
        "user_set_name": random.choice((0, 1, False, True)),
        "session_type": "user",
        "working_dir": marks.text(),
        "created_at": _DAY,
        "updated_at": "2026-02-03T10:01:00Z",
        "extension_data": random.choice(({}, {"todo.v0": {"content": marks.text()}})),
        "provider_name": marks.text(),
        "project_id": marks.text(),
    }


def message(random: Random, marks: Marks, role: str, blocks: Any) -> dict[str, Any]:
    """Return a message as exports and files have it."""
    made = f"msg_{UUID(int=random.getrandbits(128))}"
    inference = {"provider": marks.text(), "requestedModel": marks.text(), "resolvedModel": marks.text()}
    seen = {"userVisible": random.random() < 0.8, "agentVisible": random.random() < 0.8}
    more = random.choice(({}, {"inference": inference}, {"turnContext": True}, {"outputTokenLimitReached": True}))
    return {
        "id": random.choice((None, made, marks.text())),
        "role": role,
        "created": _TIME + random.randint(0, 3),
        "content": blocks,
        "metadata": random.choice((None, {**seen, **more, "usage": {"inputTokens": marks.number()}})),
    }


def content(random: Random, marks: Marks) -> list[Any]:
    """Return up to three blocks."""
    return [random.choice(BLOCKS)(random, marks) for _ in range(random.randint(0, 3))]


def _image(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "image", "data": marks.text(), "mimeType": marks.text()}


def _call(random: Random, marks: Marks, kind: str) -> dict[str, Any]:
    called = {"name": marks.text(), "arguments": {"command": marks.text()}, "_meta": {"note": marks.text()}}
    outcome = random.choice(({"status": "success", "value": called}, {"status": "error", "error": marks.text()}))
    call = random.choice(("call", marks.text()))
    return {"type": kind, "id": call, "toolCall": outcome, "metadata": {"signature": marks.text()}}


def _result(random: Random, marks: Marks) -> dict[str, Any]:
    audience = random.choice(({}, {"annotations": {"audience": ["user"], "priority": 0}}))
    items = [
        {"type": "text", "text": marks.text(), "annotations": {"audience": ["assistant"]}},
        {"type": "text", "text": marks.text(), **audience},
        {"type": "resource", "resource": {"uri": marks.text(), "mimeType": marks.text(), "text": marks.text()}},
        {"type": "resource_link", "uri": marks.text(), "name": marks.text()},
        _image(random, marks),
    ]
    some = random.sample(items, random.randint(0, 5))
    whole = {"content": some, "structuredContent": {"stdout": marks.text()}, "isError": random.random() < 0.5}
    outcome = random.choice(
        (
            {"status": "success", "value": some},
            {"status": "success", "value": whole},
            {"status": "error", "error": marks.text()},
        )
    )
    return {"type": "toolResponse", "id": random.choice(("call", marks.text())), "toolResult": outcome}


def _action(random: Random, marks: Marks) -> dict[str, Any]:
    datas: tuple[dict[str, Any], ...] = (
        {"actionType": "toolConfirmation", "toolName": marks.text(), "arguments": {"a": marks.text()}, "prompt": None},
        {"actionType": "elicitation", "message": marks.text(), "requested_schema": {"type": marks.text()}},
        {"actionType": "elicitationResponse", "user_data": {"name": marks.text()}, "action": marks.text()},
        {"actionType": "toolConfirmationResponse", "permission": marks.text()},
    )
    return {"type": "actionRequired", "data": {"id": marks.text(), **random.choice(datas)}}


ROLES: Final = ("user", "user", "assistant", "assistant", "robot")
BLOCKS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"type": "text", "text": marks.text()},
    lambda _random, marks: {"type": "text", "text": marks.text(), "annotations": {"audience": ["assistant"]}},
    lambda _random, marks: {"type": "text", "text": f"<turn-context>\n{marks.text()}\n</turn-context>"},
    lambda random, marks: _call(random, marks, "toolRequest"),
    lambda random, marks: _call(random, marks, "frontendToolRequest"),
    _result,
    _image,
    lambda _random, marks: {"type": "document", "data": marks.text(), "mimeType": marks.text(), "name": marks.text()},
    lambda _random, marks: {"type": "thinking", "thinking": marks.text(), "signature": marks.text()},
    lambda _random, marks: {"type": "redactedThinking", "data": marks.text()},
    lambda _random, marks: {"type": "reasoning", "text": marks.text()},
    lambda _random, marks: {"type": "error", "kind": marks.text(), "message": marks.text()},
    lambda _random, marks: {
        "type": "systemNotification",
        "notificationType": marks.text(),
        "msg": marks.text(),
        "data": {"url": marks.text()},
    },
    lambda _random, marks: {"type": "conversationCompacted", "msg": marks.text()},
    lambda _random, marks: {
        "type": "toolConfirmationRequest",
        "id": marks.text(),
        "toolName": marks.text(),
        "arguments": {"a": marks.text()},
        "prompt": marks.text(),
    },
    _action,
    lambda _random, marks: {"type": "Text", "text": marks.text()},
    lambda _random, marks: {"type": "ToolUse", "id": "call", "name": marks.text(), "parameters": {"a": marks.text()}},
    lambda _random, marks: {
        "type": "ToolResult",
        "tool_use_id": marks.text(),
        "output": marks.text(),
        "is_error": False,
    },
    lambda _random, marks: {"type": "hologram", "text": marks.text()},
    lambda _random, marks: marks.text(),
)
