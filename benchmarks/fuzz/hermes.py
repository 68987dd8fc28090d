"""Sessions of Hermes as its database and its exports have them, each text and id a mark."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_TIME: Final = 1_770_112_800.25
_END: Final = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
_PRIOR: Final = "[PRIOR CONTEXT — for reference only; not a new message]"
_END_OF_PRIOR: Final = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
ROLES: Final = ("user", "assistant", "assistant", "tool", "system", "robot")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a session with up to six messages, in an export or in rows of tables."""
    about = session(random, marks)
    rows = [message(random, marks, random.choice(ROLES), number) for number in range(random.randint(0, 6))]
    if rows and random.random() < 0.3:
        rows += [{**rows[0], "id": 90, "active": 1, "compacted": 0}]
        rows[0] |= {"active": 0, "compacted": random.choice((0, 1))}
    if random.random() < 0.4:
        return {**about, "message_count": marks.number(), "messages": rows}
    usage = {"session_id": about["id"], "model": random.choice((about["model"], marks.text())), "cost": marks.number()}
    prompt = {"hash": marks.text(), "prompt": marks.text()}
    tables = {"messages": rows, "sessions": [about], "session_model_usage": [usage], "system_prompts": [prompt]}
    return {"database": "hermes", "conversation_id": about["id"], "tables": tables}


def session(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the row of a session."""
    parent = marks.text()
    return {
        "id": marks.text(),
        "source": marks.text(),
        "user_id": marks.text(),
        "model": marks.text(),
        "model_config": random.choice(({"max_iterations": marks.number()}, {"_delegate_from": parent}, None)),
        "system_prompt": random.choice((marks.text(), None)),
        "parent_session_id": random.choice((parent, None)),
        "started_at": _TIME,
        "ended_at": random.choice((None, _TIME + 60)),
        "end_reason": marks.text(),
        "input_tokens": marks.number(),
        "cwd": marks.text(),
        "title": random.choice((marks.text(), None)),
        "archived": 0,
    }


def message(random: Random, marks: Marks, role: str, number: int) -> dict[str, Any]:
    """Return the row of a message."""
    of_role = {"assistant": _answer, "tool": _result}.get(role)
    return {
        "id": number + 1,
        "session_id": marks.text(),
        "role": role,
        "content": content(random, marks),
        **(of_role(random, marks) if of_role is not None else {}),
        "timestamp": _TIME + number,
        "token_count": marks.number(),
        "platform_message_id": marks.text(),
        "observed": 0,
        "active": random.choice((1, 1, 1, 0)),
        "compacted": 0,
        "_compressed_summary": random.choice((0, 0, 0, 1)),
        "display_kind": random.choice((None, None, "hidden", marks.text())),
        "display_metadata": random.choice((None, {"task_count": marks.number()})),
    }


def _answer(random: Random, marks: Marks) -> dict[str, Any]:
    thought = marks.text()
    called = {
        "id": random.choice(("call", marks.text())),
        "call_id": marks.text(),
        "type": "function",
        "function": {"name": marks.text(), "arguments": random.choice(('{"a": 1}', marks.text()))},
    }
    return {
        "tool_calls": random.choice((None, [called])),
        "finish_reason": marks.text(),
        "reasoning": random.choice((None, thought)),
        "reasoning_content": random.choice((None, thought, marks.text())),
        "reasoning_details": random.choice((None, [{"type": "reasoning.text", "text": marks.text()}])),
        "codex_message_items": random.choice((None, [{"id": marks.text()}])),
    }


def _result(random: Random, marks: Marks) -> dict[str, Any]:
    return {"tool_call_id": random.choice(("call", marks.text(), None)), "tool_name": marks.text()}


def content(random: Random, marks: Marks) -> Any:
    """Return what a row says: a text, one with a skill around it, or blocks."""
    skill = (
        f'[SYSTEM: The user has invoked the "{marks.text()}" skill]\n\n{marks.text()}\n\nThe user has provided the '
        f"following instruction alongside the skill invocation: {marks.text()}\n\n[Runtime note: {marks.text()}]"
    )
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{marks.text()}"}}
    bundle = (
        f'[IMPORTANT: The user has invoked the "{marks.text()}" skill bundle, loading 1 skills]\n\n{marks.text()}\n\n'
        f"User instruction: {marks.text()}\n\n[Loaded as part of the {marks.text()}"
    )
    summary = f"[CONTEXT COMPACTION - REFERENCE ONLY] {marks.text()}"
    led = f"{summary}\n\n{_END}\n\n{marks.text()}"
    merged = f"{_PRIOR}\n{marks.text()}\n\n{_END_OF_PRIOR}\n\n{summary}\n\n{_END}"
    choices: tuple[Any, ...] = (
        *(marks.text(), marks.text(), None, "", skill, bundle, summary, led, merged),
        [{"type": "text", "text": marks.text()}, image],
    )
    return random.choice(choices)
