"""Conversations of LM Studio with every kind of step and item, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
_BEGAN: Final = 1_770_000_000_000


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a conversation of up to six messages, some with several versions."""
    prompt = marks.text()
    return {
        "name": marks.text(),
        "pinned": random.random() < 0.5,
        "createdAt": marks.number(),
        "preset": marks.text(),
        "tokenCount": marks.number(),
        "userLastMessagedAt": _BEGAN,
        "assistantLastMessagedAt": _BEGAN + 1,
        "systemPrompt": random.choice(("", prompt, marks.text())),
        "messages": [message(random, marks, is_users=random.random() < 0.5) for _ in range(random.randint(0, 6))],
        "usePerChatPredictionConfig": random.random() < 0.7,
        "perChatPredictionConfig": _settings(marks, ("llm.prediction.systemPrompt", prompt)),
        "clientInput": marks.text(),
        "clientInputFiles": [marks.text()],
        "userFilesSizeBytes": marks.number(),
        "lastUsedModel": {"identifier": marks.text(), "instanceLoadTimeConfig": _settings(marks)},
        "notes": [marks.text()],
        "plugins": [marks.text()],
        "pluginConfigs": {marks.text(): _settings(marks)},
        "disabledPluginTools": [],
        "looseFiles": [],
    }


def _settings(marks: Marks, *fields: tuple[str, Any]) -> dict[str, Any]:
    named = [*fields, (marks.text(), marks.number())]
    return {"fields": [{"key": key, "value": value} for key, value in named]}


def message(random: Random, marks: Marks, *, is_users: bool) -> dict[str, Any]:
    """Return a message of the user or the model with up to three versions."""
    count = random.choice((1, 1, 1, 2, 3))
    make = _of_user if is_users else answer
    return {
        "versions": [make(random, marks) for _ in range(count)],
        "currentlySelected": random.randrange(count),
    }


def _of_user(random: Random, marks: Marks) -> dict[str, Any]:
    content = [random.choice(ITEMS)(random, marks) for _ in range(random.randint(1, 3))]
    made: dict[str, Any] = {"type": "singleStep", "role": "user", "content": content}
    if random.random() < 0.4:
        given = random.choice((content, [{"type": "text", "text": marks.text()}]))
        made["preprocessed"] = {"role": "user", "content": given}
    return made | ({"edited": True} if random.random() < 0.2 else {})


def answer(random: Random, marks: Marks, *steps: Any) -> dict[str, Any]:
    """Return a version of an answer with these steps, or up to five of any kind."""
    made = list(steps) or [random.choice(STEPS)(random, marks) for _ in range(random.randint(0, 5))]
    return {"type": "multiStep", "role": "assistant", "steps": made, "senderInfo": {"senderName": marks.text()}}


def _id(marks: Marks) -> str:
    return f"{_BEGAN}-0.{marks.text()}"


def _text(_random: Random, marks: Marks) -> dict[str, Any]:
    about = {"fromDraftModel": False, "tokensCount": marks.number(), "isStructural": False}
    return {"type": "text", "text": marks.text()} | about


def _file(random: Random, marks: Marks) -> dict[str, Any]:
    kind = random.choice(("image", "text/plain", "application/word", "unknown"))
    return {"type": "file", "fileIdentifier": marks.text(), "fileType": kind, "sizeBytes": marks.number()}


def _call(random: Random, marks: Marks) -> dict[str, Any]:
    made = {"type": "toolCallRequest", "callId": random.randrange(3), "toolCallRequestId": marks.text()}
    about = {"name": marks.text(), "parameters": {marks.text(): marks.text()}, "pluginIdentifier": marks.text()}
    return made | about


def _result(random: Random, marks: Marks) -> dict[str, Any]:
    said = random.choice((marks.text(), f'[{{"type":"text","text":"{marks.text()}"}}]', f'["{marks.text()}"]'))
    return {"type": "toolCallResult", "callId": random.randrange(3), "toolCallRequestId": marks.text(), "content": said}


def _block(random: Random, marks: Marks) -> dict[str, Any]:
    item = random.choice((_text, _text, _call, _result, _file))
    made: dict[str, Any] = {
        "type": "contentBlock",
        "stepIdentifier": _id(marks),
        "content": [item(random, marks) for _ in range(random.randint(0, 3))],
        "defaultShouldIncludeInContext": True,
        "shouldIncludeInContext": random.random() < 0.8,
    }
    if random.random() < 0.3:
        made |= {"style": {"type": "thinking", "ended": True, "title": marks.text()}, "prefix": marks.text()}
    if random.random() < 0.3:
        made["roleOverride"] = random.choice(("user", "assistant", "system", "tool"))
    if random.random() < 0.5:
        stats = {
            "stopReason": random.choice(("eosFound", "userStopped", "failed")),
            "promptTokensCount": marks.number(),
        }
        made["genInfo"] = {"identifier": marks.text(), "loadModelConfig": _settings(marks), "stats": stats}
    return made


def _status(random: Random, marks: Marks) -> dict[str, Any]:
    status = random.choice(
        (
            {"type": "toolCallSucceeded", "timeMs": marks.number()},
            {"type": "toolCallFailed", "error": marks.text()},
            {"type": "toolCallDenied", "denyReason": marks.text()},
            {"type": "toolCallGenerationFailed", "error": marks.text(), "rawContent": marks.text()},
            {"type": "callingTool"},
        )
    )
    state = {"status": status, "customStatus": marks.text(), "customWarnings": [marks.text()]}
    return {
        "type": "toolStatus",
        "stepIdentifier": _id(marks),
        "callId": random.randrange(3),
        "statusState": state,
    }


def _confirmed(random: Random, marks: Marks) -> dict[str, Any]:
    request = {"callId": random.randrange(3), "pluginIdentifier": marks.text(), "name": marks.text()}
    return {
        "type": "requestConfirmToolCall",
        "stepIdentifier": _id(marks),
        "request": request | {"parameters": {marks.text(): marks.number()}},
        "response": {"result": {"type": random.choice(("allow", "deny")), "denyReason": marks.text()}},
    }


STEPS: Final[tuple[_Maker, ...]] = (
    _block,
    _status,
    _confirmed,
    lambda _random, marks: {
        "type": "citationBlock",
        "stepIdentifier": _id(marks),
        "citedText": marks.text(),
        "fileName": marks.text(),
        "fileIdentifier": marks.text(),
        "pageNumber": marks.number(),
    },
    lambda _random, marks: {
        "type": "status",
        "stepIdentifier": _id(marks),
        "statusState": {"status": "done", "text": marks.text()},
    },
    lambda _random, marks: {"type": "debugInfoBlock", "stepIdentifier": _id(marks), "debugInfo": marks.text()},
    lambda _random, marks: {"type": "hologram", "depth": marks.number()},
)
ITEMS: Final[tuple[_Maker, ...]] = (
    _text,
    _file,
    _call,
    _result,
    lambda _random, marks: {"type": "hologram", "depth": marks.number()},
)
