"""Sessions of Continue as its extensions and ``cn`` write them, each text and id a mark."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final
from uuid import UUID

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
_TIME: Final = 1_790_935_201_000


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a session with up to six items."""
    return session(random, marks, [random.choice(ITEMS)(random, marks) for _ in range(random.randint(0, 6))])


def session(random: Random, marks: Marks, history: list[Any]) -> dict[str, Any]:
    """Return a session with a history."""
    more = {"mode": marks.text(), "chatModelTitle": random.choice((None, marks.text()))}
    usage = {"totalCost": 0.5, "promptTokens": marks.number(), "promptTokensDetails": {"cachedTokens": marks.number()}}
    folder = random.choice(("", "file:///"))
    return {
        "sessionId": str(UUID(int=random.getrandbits(128))),
        "title": random.choice((marks.text(), "New Session")),
        "workspaceDirectory": f"{folder}{marks.text()}",
        "history": history,
        **random.choice(({}, more, {"usage": usage})),
    }


def _item(random: Random, marks: Marks, message: dict[str, Any], **beside: Any) -> dict[str, Any]:
    name = random.choice(({}, {"id": str(UUID(int=random.getrandbits(128)))}))
    items = [_context(random, marks) for _ in range(random.randint(0, 2))]
    return {"message": {**name, **message}, "contextItems": items, **beside}


def _context(random: Random, marks: Marks) -> dict[str, Any]:
    more: tuple[dict[str, Any], ...] = (
        {"uri": {"type": "file", "value": f"file:///{marks.text()}"}},
        {"id": {"providerTitle": marks.text(), "itemId": marks.text()}, "editing": True},
        {"icon": marks.text(), "hidden": False, "status": marks.text()},
    )
    return {"content": marks.text(), "name": marks.text(), "description": marks.text(), **random.choice(more)}


def _content(random: Random, marks: Marks) -> Any:
    blocks = (
        {"type": "text", "text": marks.text()},
        {"type": "imageUrl", "imageUrl": {"url": f"data:image/png;base64,{marks.text()}"}},
        {"type": "imageUrl", "imageUrl": {"url": f"https://x/{marks.text()}"}},
        {"type": "hologram", "text": marks.text()},
    )
    return random.choice((marks.text(), "", random.sample(blocks, random.randint(0, 4))))


def _prompt(random: Random, marks: Marks) -> dict[str, Any]:
    content = _content(random, marks)
    editor = random.choice((content, {"type": "doc", "content": [{"type": "paragraph", "text": marks.text()}]}))
    more = {"modifiers": {"useCodebase": False, "noContext": True}, "checkpoint": {marks.text(): marks.text()}}
    beside = {name: value for name, value in more.items() if random.random() < 0.5}
    rules = [{"name": marks.text(), "slug": marks.text(), "source": marks.text()}]
    return _item(random, marks, {"role": "user", "content": content}, editorState=editor, appliedRules=rules, **beside)


def _call(random: Random, marks: Marks) -> dict[str, Any]:
    given = random.choice((json.dumps({"command": marks.text()}), "", marks.text()))
    return {
        "id": random.choice(("call", marks.text())),
        "type": "function",
        "function": {"name": marks.text(), "arguments": given},
    }


def _state(random: Random, marks: Marks, call: dict[str, Any]) -> dict[str, Any]:
    given = call["function"]["arguments"]
    output = [{"name": marks.text(), "description": marks.text(), "content": marks.text()}]
    return {
        "toolCallId": call["id"],
        "toolCall": call,
        "status": random.choice(("generated", "done", "errored", "canceled")),
        "parsedArgs": random.choice((json.loads(given) if given.startswith("{") else None, {"command": marks.text()})),
        **random.choice(({}, {"output": output}, {"output": output, "processedArgs": {"path": marks.text()}})),
    }


def _answer(random: Random, marks: Marks) -> dict[str, Any]:
    calls = [_call(random, marks) for _ in range(random.randint(0, 2))]
    states = [_state(random, marks, call) for call in calls]
    usage = {"model": marks.text(), "prompt_tokens": marks.number()}
    said = {"role": "assistant", "content": _content(random, marks)}
    log = {"modelTitle": marks.text(), "modelProvider": marks.text(), "prompt": marks.text(), "completion": ""}
    beside = random.choice(
        (
            {"toolCallStates": states},
            {"toolCallState": states[0]} if states else {},
            {"reasoning": {"active": False, "text": marks.text(), "startAt": _TIME, "endAt": marks.number()}},
            {"promptLogs": [log], "conversationSummary": marks.text()},
            {"promptLogs": [[marks.text(), marks.text()]]},
        )
    )
    more = random.choice(({}, {"toolCalls": calls}, {"toolCalls": calls, "usage": usage}))
    return _item(random, marks, {**said, **more}, **beside)


ITEMS: Final[tuple[_Maker, ...]] = (
    _prompt,
    _answer,
    lambda random, marks: _item(
        random,
        marks,
        {"role": "thinking", "content": _content(random, marks), "signature": marks.text(), "redactedThinking": ""},
    ),
    lambda random, marks: _item(
        random, marks, {"role": "tool", "content": marks.text(), "toolCallId": random.choice(("call", marks.text()))}
    ),
    lambda random, marks: _item(random, marks, {"role": "system", "content": marks.text()}),
    lambda random, marks: _item(
        random, marks, {"role": "assistant", "content": f"[COMPACTED HISTORY]\n{marks.text()}"}
    ),
    _answer,
    _answer,
    lambda random, marks: _item(random, marks, {"role": "robot", "content": marks.text()}),
    lambda _random, marks: marks.text(),
)
