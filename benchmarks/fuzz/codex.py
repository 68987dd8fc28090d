"""Sessions of Codex with every kind of line, in each layout, each text and id a mark."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], dict[str, Any]]
_TIME: Final = "2026-05-13T06:03:05.161Z"
_PICTURE: Final = "data:image/png;base64,iVBORw0KGgo="


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a session of up to eight lines after its first: envelopes, or bare lines as before September 2025."""
    items = [random.choice(ITEMS)(random, marks) for _ in range(random.randint(0, 8))]
    if random.random() < 0.2:
        header = {"id": marks.text(), "timestamp": _TIME, "instructions": marks.text(), "git": {"branch": marks.text()}}
        return {"file": marks.text(), "lines": [header, {"record_type": "state"}, *items]}
    if random.random() < 0.1:
        session = {"id": marks.text(), "timestamp": _TIME, "instructions": marks.text()}
        return {"session": session, "items": items}
    lines: list[Any] = [wrapped("response_item", item) for item in items]
    for _ in range(random.randint(0, 5)):
        kind, payload = random.choice(OTHERS)(random, marks)
        lines.insert(random.randint(0, len(lines)), wrapped(kind, payload))
    if random.random() < 0.2:
        noise = random.choice(({"unreadable_line": marks.text()}, marks.text(), [marks.text()]))
        lines.insert(random.randint(0, len(lines)), noise)
    return {"file": marks.text(), "lines": [wrapped("session_meta", meta(random, marks)), *lines]}


def wrapped(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Return a line."""
    return {"timestamp": _TIME, "type": kind, "payload": payload}


def meta(random: Random, marks: Marks) -> dict[str, Any]:
    """Return what the first line of a session says."""
    return {
        "id": random.choice((marks.text(), str(uuid.UUID(int=random.getrandbits(128))))),
        "timestamp": _TIME,
        "cwd": marks.text(),
        "originator": marks.text(),
        "cli_version": marks.text(),
        "source": random.choice(("cli", {"subagent": {"thread_spawn": {"parent_thread_id": marks.text()}}})),
        "model_provider": marks.text(),
        "base_instructions": {"text": marks.text()},
        "git": {"commit_hash": marks.text(), "branch": marks.text(), "repository_url": marks.text()},
        "forked_from_id": random.choice((None, marks.text())),
    }


def _said(role: str, kind: str) -> _Maker:
    def make(random: Random, marks: Marks) -> dict[str, Any]:
        text = random.choice((marks.text(), marks.text(), f"<environment_context>{marks.text()}</environment_context>"))
        content: list[Any] = [{"type": kind, "text": text}]
        if random.random() < 0.3:
            content.append(
                random.choice(
                    (
                        {"type": "input_image", "image_url": _PICTURE, "detail": marks.text()},
                        {"type": "input_image", "image_url": marks.text()},
                        {"type": "hologram", "text": marks.text()},
                        marks.text(),
                    )
                )
            )
        return {"type": "message", "role": role, "content": content, "phase": marks.text(), "id": marks.text()}

    return make


def _thought(random: Random, marks: Marks) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": marks.text()} for _ in range(random.randint(0, 2))]
    content = random.choice((None, [{"type": "reasoning_text", "text": marks.text()}]))
    return {"type": "reasoning", "summary": summary, "content": content, "encrypted_content": marks.text()}


def _called(random: Random, marks: Marks) -> dict[str, Any]:
    arguments = random.choice((json.dumps({"cmd": marks.text(), "n": marks.number()}), marks.text(), "{}"))
    return {
        "type": "function_call",
        "name": marks.text(),
        "arguments": arguments,
        "call_id": f"c{random.randint(0, 2)}",
    }


def _answered(random: Random, marks: Marks) -> dict[str, Any]:
    metadata = {"exit_code": random.randint(0, 1), "duration_seconds": marks.number()}
    wrapped_text = json.dumps({"output": marks.text(), "metadata": metadata}, separators=(",", ":"))
    output = random.choice(
        (
            marks.text(),
            f"Exit code: 1\nOutput:\n{marks.text()}",
            wrapped_text,
            [{"type": "input_text", "text": marks.text()}, {"type": "input_image", "image_url": _PICTURE}],
            {"content": marks.text(), "success": False},
            {"content": [{"type": "text", "text": marks.text(), "more": marks.text()}], "is_error": True},
        )
    )
    kind = random.choice(("function_call_output", "custom_tool_call_output"))
    return {"type": kind, "call_id": f"c{random.randint(0, 2)}", "output": output}


def _shell(_random: Random, marks: Marks) -> dict[str, Any]:
    action = {"type": "exec", "command": [marks.text()], "timeout_ms": marks.number(), "env": {"A": marks.text()}}
    return {"type": "local_shell_call", "call_id": "c1", "id": marks.text(), "status": "completed", "action": action}


ITEMS: Final[tuple[_Maker, ...]] = (
    _said("user", "input_text"),
    _said("assistant", "output_text"),
    _said("developer", "input_text"),
    _thought,
    _called,
    _answered,
    _shell,
    lambda _random, marks: {"type": "custom_tool_call", "name": "apply_patch", "input": marks.text(), "call_id": "c2"},
    lambda _random, marks: {"type": "web_search_call", "action": {"type": "search", "query": marks.text()}},
    lambda _random, marks: {"type": "image_generation_call", "result": "aGk=", "revised_prompt": marks.text()},
    lambda _random, marks: {"type": "tool_search_output", "call_id": "c0", "tools": [{"name": marks.text()}]},
    lambda _random, marks: {
        "type": "agent_message",
        "author": marks.text(),
        "recipient": marks.text(),
        "content": [{"type": "input_text", "text": marks.text()}],
    },
    lambda _random, marks: {"type": "ghost_snapshot", "ghost_commit": {"id": marks.text()}},
    lambda _random, marks: {"type": "hologram", "depth": marks.number()},
)


def _turn(random: Random, marks: Marks) -> dict[str, Any]:
    turn = random.choice((None, marks.text(), str(uuid.UUID(int=random.getrandbits(128)))))
    return {"turn_id": turn, "cwd": marks.text(), "model": marks.text(), "sandbox_policy": {"type": marks.text()}}


def _completed(random: Random, marks: Marks) -> dict[str, Any]:
    content = [{"type": "text", "text": marks.text()}]
    item = random.choice(
        (
            {"type": "UserMessage", "id": marks.text(), "content": content},
            {"type": "AgentMessage", "id": marks.text(), "content": content},
            {"type": "Reasoning", "id": marks.text(), "summary_text": [marks.text()], "raw_content": []},
            {"type": "Plan", "id": marks.text(), "text": marks.text()},
        )
    )
    return {"type": "item_completed", "thread_id": marks.text(), "turn_id": marks.text(), "item": item}


# What the other lines are: their kind, and what they say.
OTHERS: Final[tuple[Callable[[Random, Marks], tuple[str, dict[str, Any]]], ...]] = (
    lambda random, marks: ("turn_context", _turn(random, marks)),
    lambda _random, marks: ("compacted", {"message": marks.text(), "replacement_history": [{"id": marks.text()}]}),
    lambda _random, marks: ("world_state", {"full": True, "state": {"skills": marks.text()}}),
    lambda _random, marks: ("hologram", {"text": marks.text()}),
    lambda _random, marks: ("inter_agent_communication", {"author": marks.text(), "content": marks.text()}),
    lambda _random, marks: ("event_msg", {"type": "user_message", "message": marks.text(), "images": [marks.text()]}),
    lambda _random, marks: ("event_msg", {"type": "agent_message", "message": marks.text(), "phase": marks.text()}),
    lambda _random, marks: ("event_msg", {"type": "agent_reasoning", "text": marks.text()}),
    lambda _random, marks: ("event_msg", {"type": "task_started", "turn_id": marks.text()}),
    lambda _random, marks: ("event_msg", {"type": "task_complete", "last_agent_message": marks.text()}),
    lambda _random, marks: ("event_msg", {"type": "turn_aborted", "turn_id": marks.text(), "reason": marks.text()}),
    lambda random, _marks: ("event_msg", {"type": "thread_rolled_back", "num_turns": random.randint(0, 3)}),
    lambda _random, marks: ("event_msg", {"type": "thread_name_updated", "thread_name": marks.text()}),
    lambda _random, marks: ("event_msg", {"type": "token_count", "info": {"total_tokens": marks.number()}}),
    lambda random, marks: ("event_msg", _completed(random, marks)),
)
