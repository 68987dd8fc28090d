"""Sessions as Codex writes them, for its tests."""

from __future__ import annotations

from typing import Any

from archive_pipeline.domain.records import DialogueRecord
from archive_pipeline.readers.codex.dialogue import read_session

SESSION = "019a0000-1111-7222-8333-444455556666"
TURN = "019a0000-2222-7222-8333-444455556666"
SECOND_TURN = "019a0001-2222-7222-8333-444455556666"
TIME = "2026-05-13T06:03:05.161Z"


def line(kind: str, time: str = TIME, /, **payload: Any) -> dict[str, Any]:
    return {"timestamp": time, "type": kind, "payload": payload}


def meta(session: str = SESSION, **more: Any) -> dict[str, Any]:
    return line("session_meta", id=session, timestamp="2026-05-13T06:03:05Z", cwd="/work/shop", **more)


def turn(name: str | None = TURN, model: str = "gpt-5.5") -> dict[str, Any]:
    return line("turn_context", turn_id=name, cwd="/work/shop", model=model)


def event(name: str, **payload: Any) -> dict[str, Any]:
    return line("event_msg", type=name, **payload)


def said(role: str, *texts: str, **more: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return line("response_item", type="message", role=role, content=content, **more)


def thought(*texts: str) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": text} for text in texts]
    return line("response_item", type="reasoning", summary=summary, content=None, encrypted_content="gAAA")


def called(call: str, name: str = "exec_command", arguments: str = '{"cmd": "ls"}') -> dict[str, Any]:
    return line("response_item", type="function_call", name=name, arguments=arguments, call_id=call)


def answered(call: str, output: Any = "a.txt") -> dict[str, Any]:
    return line("response_item", type="function_call_output", call_id=call, output=output)


ENVIRONMENT = said("user", "<environment_context>\n  <cwd>/work/shop</cwd>\n</environment_context>")


def session(*lines: Any) -> dict[str, Any]:
    return {"file": "rollout-1.jsonl", "lines": list(lines)}


def read(*lines: Any) -> DialogueRecord:
    record = read_session(session(*lines), "rollout-1.jsonl")
    assert isinstance(record, DialogueRecord)
    return record


def told(record: DialogueRecord) -> list[tuple[str, list[tuple[str, str | None]]]]:
    """Who says what in each message."""
    return [(m.role, [(p.part_type.value, p.text) for p in m.parts]) for m in record.messages]
