"""Sessions of Qwen Code with every kind of line and part, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
_TIME: Final = "2026-07-29T14:22:00.410Z"
_SUBTYPES: Final[dict[str, tuple[str | None, ...]]] = {
    "user": (None, None, "mid_turn_user_message", "notification", "cron", "goal_runtime", "agent_mention"),
    "assistant": (None, "realtime_message"),
    "tool_result": (None, "code_mode_tool_result"),
}
_PROVENANCE: Final = {"user": ("real_user", "system"), "assistant": ("assistant_output",)}


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the object that a file of up to nine lines is read as."""
    lines: list[Any] = [message(random, marks, "user", [{"text": marks.text()}])]
    is_side = random.random() < 0.2
    for _ in range(random.randint(0, 8)):
        made = random.choice(LINES)(random, marks)
        before = [other["uuid"] for other in lines[-3:] if isinstance(other, dict) and "uuid" in other]
        if isinstance(made, dict) and "uuid" in made and random.random() < 0.8:
            made["parentUuid"] = random.choice((*before, marks.text()))
        lines.append(made)
    if random.random() < 0.1:
        lines.append(random.choice(lines))
    if is_side:
        agent = {"agentId": marks.text(), "agentName": marks.text(), "isSidechain": True}
        lines = [each | agent if isinstance(each, dict) and "uuid" in each else each for each in lines]
    return {"file": f"{marks.text()}.jsonl", "lines": lines}


def line(random: Random, marks: Marks, kind: str, said: dict[str, Any]) -> dict[str, Any]:
    """Return a line of a type."""
    return {
        "uuid": random.choice(("id-1", marks.text())),
        "parentUuid": random.choice((None, "id-1")),
        "sessionId": random.choice(("session-1", marks.text())),
        "timestamp": _TIME,
        "type": kind,
        "cwd": random.choice(("/work", marks.text())),
        "version": marks.text(),
        "gitBranch": marks.text(),
        **said,
    }


def message(random: Random, marks: Marks, kind: str, parts: Any) -> dict[str, Any]:
    """Return the line of a message of a type."""
    said: dict[str, Any] = {"message": {"role": "model" if kind == "assistant" else "user", "parts": parts}}
    subtype = random.choice(_SUBTYPES.get(kind, (None,)))
    said |= {} if subtype is None else {"subtype": subtype}
    if random.random() < 0.3 and kind in _PROVENANCE:
        said["provenance"] = random.choice(_PROVENANCE[kind])
    if kind == "assistant":
        said |= {"model": marks.text(), "usageMetadata": {"promptTokenCount": marks.number()}, "contextWindowSize": 9}
    elif kind == "tool_result":
        status = random.choice(("success", "error", "cancelled"))
        said["toolCallResult"] = {"callId": marks.text(), "status": status, "resultDisplay": {"fileDiff": marks.text()}}
    elif random.random() < 0.4:
        said["systemPayload"] = _shown(random, marks)
    return line(random, marks, kind, said)


def _shown(random: Random, marks: Marks) -> dict[str, Any]:
    file = {"type": "image", "attachmentId": marks.text(), "mimeType": "image/png", "size": marks.number()}
    link = {"type": "resource_link", "name": marks.text(), "uri": marks.text(), "title": marks.text()}
    return {
        "displayText": random.choice((marks.text(), "", f"{marks.text()}\n<system-reminder>x</system-reminder>")),
        "hookContext": marks.text(),
        **random.choice(({}, {"attachmentReferences": [file], "resourceLinks": [link]})),
    }


def _image(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"inlineData": {"mimeType": "image/png", "data": marks.text(), "displayName": marks.text()}}


def _result(random: Random, marks: Marks) -> dict[str, Any]:
    output = random.choice(({"output": marks.text()}, {"error": marks.text()}, {"x": marks.text()}))
    nested = random.choice(({}, {"parts": [_image(random, marks), {marks.text(): marks.text()}]}))
    return {"functionResponse": {"id": marks.text(), "name": marks.text(), "response": output, **nested}}


PARTS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"text": marks.text()},
    lambda _random, marks: {"text": f"{marks.text()}\n<system-reminder>{marks.text()}</system-reminder>"},
    lambda _random, marks: {"text": f"{marks.text()}\n--- Content from referenced files ---\n{marks.text()}"},
    lambda _random, marks: {"text": marks.text(), "thought": True, "thoughtSignature": marks.text()},
    lambda _random, marks: {
        "functionCall": {"id": marks.text(), "name": marks.text(), "args": {"file_path": marks.text()}},
        "thoughtSignature": marks.text(),
    },
    _result,
    _image,
    lambda _random, marks: {"fileData": {"fileUri": marks.text(), "mimeType": "text/plain"}},
    lambda _random, marks: {marks.text(): marks.text()},
    lambda _random, marks: marks.text(),
)


def _said(kind: str) -> _Maker:
    return lambda random, marks: message(
        random, marks, kind, [random.choice(PARTS)(random, marks) for _ in range(random.randint(0, 3))]
    )


def _event(subtype: str, payload: _Maker) -> _Maker:
    return lambda random, marks: line(
        random, marks, "system", {"subtype": subtype, "systemPayload": payload(random, marks)}
    )


LINES: Final[tuple[_Maker, ...]] = (
    _said("user"),
    _said("assistant"),
    _said("tool_result"),
    _event(
        "chat_compression",
        lambda random, marks: {
            "info": {"originalTokenCount": marks.number()},
            "compressedHistory": [
                {"role": "user", "parts": [{"text": random.choice((f"<state_snapshot>{marks.text()}", marks.text()))}]},
                {"role": "model", "parts": [{"text": "Got it. Thanks for the additional context!"}]},
                {"role": "user", "parts": [{"text": marks.text()}]},
            ],
        },
    ),
    _event(
        "slash_command",
        lambda random, marks: {
            "phase": random.choice(("invocation", "result")),
            "rawCommand": marks.text(),
            "outputHistoryItems": [{"type": "info", "text": marks.text()}, {"type": marks.text(), "models": [1]}],
        },
    ),
    _event(
        "agent_bootstrap",
        lambda random, marks: {
            "kind": "fork",
            "history": [{"role": "user", "parts": [{"text": marks.text()}]}],
            "systemInstruction": random.choice((marks.text(), {"role": "system", "parts": [{"text": marks.text()}]})),
        },
    ),
    _event("agent_launch_prompt", lambda _random, marks: {"displayText": marks.text()}),
    _event("ui_telemetry", lambda _random, marks: {"uiEvent": {"event.name": "qwen-code.x", "model": marks.text()}}),
    _event("custom_title", lambda _random, marks: {"customTitle": marks.text(), "titleSource": "auto"}),
    _event("parent_session", lambda _random, marks: {"parentSessionId": marks.text()}),
    _event("rewind", lambda _random, marks: {"truncatedCount": marks.number()}),
    _event("hologram", lambda _random, marks: {"depth": marks.text()}),
    lambda random, marks: line(random, marks, "hologram", {"systemPayload": {"depth": marks.text()}}),
    lambda _random, marks: {"unreadable_line": marks.text()},
    lambda _random, marks: [marks.text()],
)
