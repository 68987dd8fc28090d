"""Sessions of Copilot Chat with every kind of entry, as one object and as a log of changes, each text and id a mark."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
_MOMENT: Final = 1_770_112_800_000


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a session with up to four requests, or the object that a log of one is read as."""
    requests = [request(random, marks, entries(random, marks)) for _ in range(random.randint(0, 4))]
    if random.random() < 0.5:
        return session(random, marks, requests)
    return log(random, marks, requests)


def session(random: Random, marks: Marks, requests: list[Any]) -> dict[str, Any]:
    """Return a session as VS Code stores it, or as it exports it."""
    made: dict[str, Any] = {
        "responderUsername": marks.text(),
        "initialLocation": marks.text(),
        "requests": requests,
    }
    if random.random() < 0.2:
        return made | {"requesterUsername": marks.text()}
    return made | {
        "version": 3,
        "sessionId": marks.text(),
        "creationDate": _MOMENT,
        "customTitle": marks.text(),
        "inputState": {"inputText": marks.text(), "attachments": [], "contrib": {}},
        "hasPendingEdits": False,
    }


def log(random: Random, marks: Marks, requests: list[Any]) -> dict[str, Any]:
    """Return the lines that make a session: its requests, their answers bit by bit, and what changed meanwhile."""
    lines: list[Any] = [{"kind": 0, "v": session(random, marks, [])}]
    for place, made in enumerate(requests):
        path: list[Any] = ["requests", place]
        entries = made["response"]
        lines.append({"kind": 2, "k": ["requests"], "v": [{**made, "response": entries[:1]}]})
        lines.append({"kind": 2, "k": [*path, "response"], "v": [{"value": marks.text()}, *entries[1:]], "i": 1})
        lines.append({"kind": 1, "k": [*path, "result"], "v": {"details": marks.text()}})
        lines += [change(marks) for change in random.sample(CHANGES, random.randint(0, 2))]
    return {"file": f"{marks.text()}.jsonl", "lines": lines}


CHANGES: Final[tuple[Callable[[Marks], dict[str, Any]], ...]] = (
    lambda marks: {"kind": 1, "k": ["customTitle"], "v": marks.text()},
    lambda marks: {"kind": 1, "k": ["inputState", "inputText"], "v": marks.text()},
    lambda _marks: {"kind": 3, "k": ["customTitle"]},
    lambda marks: {"kind": 2, "k": ["requests"], "v": [{"message": {"text": marks.text()}}], "i": 0},
    lambda marks: {"kind": 1, "k": ["requests", 99, "modelId"], "v": marks.text()},
    lambda marks: {"kind": 2, "k": ["requests"], "i": 0, "more": marks.text()},
    lambda marks: {"unreadable_line": marks.text()},
    lambda marks: {"kind": 7, "v": marks.text()},
)


def request(random: Random, marks: Marks, response: list[Any]) -> dict[str, Any]:
    """Return a request and its answer."""
    call = f"{marks.text()}__vscode-1"
    made: dict[str, Any] = {
        "requestId": f"request_{marks.text()}",
        "message": random.choice((marks.text(), {"text": marks.text(), "parts": [{"text": marks.text()}]})),
        "variableData": {"variables": [random.choice(VARIABLES)(random, marks) for _ in range(random.randint(0, 2))]},
        "response": response,
        "responseId": f"response_{marks.text()}",
        "result": {
            "details": marks.text(),
            "timings": {"totalElapsed": marks.number()},
            "metadata": {
                "toolCallRounds": [
                    {"toolCalls": [{"id": call, "name": marks.text(), "arguments": json.dumps({"q": marks.text()})}]}
                ],
                "toolCallResults": {call: {"content": random.choice(([{"value": marks.text()}], [_node(marks)]))}},
            },
        },
        "followups": [{"message": marks.text()}],
        "modelState": {"value": random.randint(0, 4), "completedAt": _MOMENT + 9},
        "agent": {"id": marks.text(), "name": marks.text()},
        "timestamp": _MOMENT + 1,
        "modelId": marks.text(),
        "contentReferences": [{"kind": "reference", "reference": _uri(marks)}],
    }
    if random.random() < 0.2:
        made["result"]["errorDetails"] = {"message": marks.text(), "code": random.choice(("canceled", marks.text()))}
    if random.random() < 0.2:
        made |= {"isSystemInitiated": True, "systemInitiatedLabel": marks.text()}
    if response and random.random() < 0.5:
        response.append({"kind": "toolInvocationSerialized", "toolId": marks.text(), "toolCallId": call})
    return made


def entries(random: Random, marks: Marks) -> list[Any]:
    """Return the entries of an answer."""
    return [random.choice(ENTRIES)(random, marks) for _ in range(random.randint(0, 5))]


def _node(marks: Marks) -> dict[str, Any]:
    texts = [{"type": 2, "text": marks.text(), "lineBreakBefore": True}, {"type": 2, "text": marks.text()}]
    return {"$mid": 23, "value": {"node": {"type": 1, "children": [{"children": texts[:1]}, texts[1]]}}}


def _uri(marks: Marks) -> dict[str, Any]:
    path = f"/{marks.text()}/{marks.text()}.py"
    return {"$mid": 1, "fsPath": path, "external": f"file://{path}", "path": path, "scheme": "file"}


def _call(random: Random, marks: Marks) -> dict[str, Any]:
    made = {
        "kind": "toolInvocationSerialized",
        "toolId": marks.text(),
        "toolCallId": marks.text(),
        "invocationMessage": {"value": marks.text(), "uris": {}},
        "pastTenseMessage": marks.text(),
        "isConfirmed": {"type": 1},
        "isComplete": True,
        "source": {"type": "internal", "label": marks.text()},
    }
    output = [{"type": "embed", "isText": True, "value": marks.text()}, {"type": "ref", "uri": _uri(marks)}]
    more: list[dict[str, Any]] = [
        {"resultDetails": {"input": json.dumps({"q": marks.text()}), "output": output, "isError": True}},
        {"resultDetails": [_uri(marks)]},
        {
            "toolSpecificData": {
                "kind": "terminal",
                "commandLine": {"original": marks.text(), "userEdited": marks.text()},
                "terminalCommandOutput": {"text": marks.text(), "lineCount": marks.number()},
            }
        },
        {"toolSpecificData": {"kind": "input", "rawInput": {"q": marks.text()}}},
        {"toolSpecificData": {"kind": "terminal", "command": marks.text(), "language": marks.text()}},
    ]
    return made | random.choice(more)


def _edits(_random: Random, marks: Marks) -> dict[str, Any]:
    edits = [[{"text": marks.text(), "range": {"startLineNumber": marks.number()}}], [{"text": marks.text()}], []]
    return {"kind": "textEditGroup", "uri": _uri(marks), "edits": edits, "done": True}


ENTRIES: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"value": marks.text(), "supportThemeIcons": False, "baseUri": _uri(marks)},
    lambda _random, marks: {"kind": "markdownContent", "content": {"value": marks.text(), "isTrusted": False}},
    lambda _random, marks: {
        "kind": "markdownVuln",
        "content": {"value": marks.text()},
        "vulnerabilities": [{"title": marks.text()}],
    },
    lambda _random, marks: {"kind": "inlineReference", "inlineReference": _uri(marks), "name": marks.text()},
    lambda _random, marks: {"kind": "inlineReference", "inlineReference": {"uri": _uri(marks), "range": {}}},
    lambda random, marks: {
        "kind": "thinking",
        "value": random.choice((marks.text(), [marks.text(), marks.text()], "")),
        "id": marks.text(),
        "metadata": {"vscodeReasoningDone": True, "more": marks.text()},
    },
    _call,
    _edits,
    lambda _random, marks: {"kind": "progressMessage", "content": {"value": marks.text()}},
    lambda _random, marks: {"kind": "progressTaskSerialized", "content": {"value": marks.text()}, "progress": []},
    lambda _random, marks: {
        "kind": "confirmation",
        "title": marks.text(),
        "message": {"value": marks.text()},
        "data": {"id": marks.text()},
        "buttons": [marks.text()],
    },
    lambda _random, marks: {"kind": "codeblockUri", "uri": _uri(marks), "undoStopId": marks.text()},
    lambda _random, marks: {"kind": "undoStop", "id": marks.text()},
    lambda _random, marks: {"kind": "prepareToolInvocation", "toolName": marks.text()},
    lambda _random, marks: {"kind": "mcpServersStarting", "didStartServerIds": [marks.text()]},
    lambda _random, marks: {"kind": "hook", "hookType": marks.text(), "systemMessage": marks.text()},
    lambda _random, marks: {"label": marks.text(), "uri": _uri(marks), "children": []},
    lambda _random, marks: {"kind": "hologram", "depth": marks.number()},
    lambda _random, marks: marks.text(),
)
VARIABLES: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"kind": "file", "id": marks.text(), "name": marks.text(), "value": _uri(marks)},
    lambda _random, marks: {
        "kind": "implicit",
        "id": marks.text(),
        "name": marks.text(),
        "value": {"uri": _uri(marks), "range": {"startLineNumber": marks.number()}},
        "isSelection": True,
    },
    lambda _random, marks: {
        "kind": "image",
        "id": marks.text(),
        "name": marks.text(),
        "mimeType": "image/png",
        "value": {"$base64": "aGk="},
    },
    lambda _random, marks: {"kind": "paste", "id": marks.text(), "name": marks.text(), "code": marks.text()},
    lambda _random, marks: {
        "kind": "terminalCommand",
        "id": marks.text(),
        "name": marks.text(),
        "resource": _uri(marks),
        "command": marks.text(),
        "output": marks.text(),
    },
    lambda _random, marks: {"kind": "tool", "id": marks.text(), "name": marks.text(), "value": {}},
    lambda _random, marks: marks.text(),
)
