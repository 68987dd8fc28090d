"""Conversations of Cursor, as the rows of its databases: of newer versions, and of those before them."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_START: Final = 1_767_225_600_000
_TIME: Final = "2026-01-01T00:00:0{}.000Z"
_CHATS: Final = "workbench.panel.aichat.view.aichat.chatdata"


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the rows of a conversation of any version, or a transcript."""
    return random.choice((newer, newer, inline, tab, transcript))(random, marks)


def newer(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a conversation whose messages are rows of their own."""
    name = marks.text()
    bubbles = [bubble(random, marks) for _ in range(random.randint(0, 5))]
    about = composer(random, marks, name)
    about["fullConversationHeadersOnly"] = [header(random, marks, each) for each in bubbles]
    if random.random() < 0.2:
        about["fullConversationHeadersOnly"].append({"bubbleId": marks.text(), "type": 2})
    if bubbles and random.random() < 0.2:
        about["fullConversationHeadersOnly"].pop()
    rows = [row(f"bubbleId:{name}:{each['bubbleId']}", each) for each in bubbles]
    tables = {"cursorDiskKV": [*rows, row(f"composerData:{name}", about)]}
    if random.random() < 0.3:
        tables["composerHeaders"] = [head(random, marks, name)]
    return {"database": "cursor", "conversation_id": name, "tables": tables}


def inline(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a conversation that has its messages in itself, in an array or by their ids."""
    name = marks.text()
    bubbles = [bubble(random, marks) for _ in range(random.randint(1, 4))]
    by_id = {"conversationMap": {each["bubbleId"]: each for each in bubbles}}
    about = composer(random, marks, name) | random.choice(({"conversation": bubbles}, by_id))
    return {
        "database": "cursor",
        "conversation_id": name,
        "tables": {"cursorDiskKV": [row(f"composerData:{name}", about)]},
    }


def tab(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a chat of the first versions."""
    bubbles = [random.choice((_asked, _answered))(random, marks) for _ in range(random.randint(1, 4))]
    about = {"tabId": marks.text(), "chatTitle": marks.text(), "lastSendTime": _START, "bubbles": bubbles}
    return {"database": "cursor", "conversation_id": _CHATS, "tables": {"ItemTable": [row(_CHATS, about)]}}


def transcript(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the lines of a transcript."""
    lines = [line(random, marks) for _ in range(random.randint(1, 4))]
    return {"file": f"{marks.text()}.jsonl", "lines": [*lines, {"type": "turn_ended", "status": marks.text()}]}


def line(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a line of a transcript."""
    query = f"<user_query>\n{marks.text()}\n</user_query>"
    asked = random.choice(
        (
            marks.text(),
            f"{marks.text()}\n{query}",
            f"<timestamp>Tuesday, May 26, 2026, 10:57 PM (UTC+2)</timestamp>\n{query}",
            f"<system_notification>{marks.text()}</system_notification>\n{query}",
            f"<system_reminder>{marks.text()}</system_reminder>",
        )
    )
    call = {"type": "tool_use", "name": marks.text(), "input": {"path": marks.text()}}
    role, blocks = random.choice(
        (("user", [{"type": "text", "text": asked}]), ("assistant", [{"type": "text", "text": marks.text()}, call]))
    )
    return {"role": role, "message": {"content": blocks}}


def row(key: str, value: Any) -> dict[str, Any]:
    """Return an entry."""
    return {"key": key, "value": value}


def composer(random: Random, marks: Marks, name: str) -> dict[str, Any]:
    """Return what is said of a conversation, without its messages."""
    beside = random.choice(
        (
            {},
            {"subagentInfo": {"parentComposerId": marks.text(), "toolCallId": marks.text()}},
            {"workspaceIdentifier": {"id": marks.text(), "uri": {"fsPath": marks.text(), "scheme": "file"}}},
            {
                "capabilities": [
                    {"type": 15, "data": {"bubbleDataMap": json.dumps({marks.text(): call(random, marks)})}}
                ]
            },
        )
    )
    return {
        "_v": 10,
        "composerId": name,
        "name": marks.text(),
        "subtitle": marks.text(),
        "text": marks.text(),
        "createdAt": _START,
        "lastUpdatedAt": marks.number(),
        "status": random.choice(("completed", "aborted", "none")),
        "unifiedMode": "agent",
        "modelConfig": {"modelName": marks.text(), "maxMode": True},
        "usageData": {marks.text(): {"costInCents": marks.number(), "amount": 1}},
        "context": {"fileSelections": [], "mentions": {marks.text(): [marks.text()]}},
        "latestConversationSummary": {"summary": {"summary": marks.text()}},
        "todos": [{"id": marks.text(), "content": marks.text(), "status": "pending"}],
        **beside,
    }


def head(random: Random, marks: Marks, name: str) -> dict[str, Any]:
    """Return a row of the list of conversations."""
    value = {
        "type": "head",
        "composerId": name,
        "workspaceIdentifier": {"id": marks.text(), "uri": {"fsPath": marks.text()}},
        "subagentInfo": random.choice((None, {"parentComposerId": marks.text()})),
    }
    return {"composerId": name, "workspaceId": marks.text(), "isSubagent": 0, "recency": marks.number(), "value": value}


def header(random: Random, marks: Marks, of: dict[str, Any]) -> dict[str, Any]:
    """Return what a conversation says of one of its messages."""
    beside = random.choice(({}, {"serverBubbleId": marks.text()}, {"grouping": {"isRenderable": True}}))
    return {"bubbleId": of["bubbleId"], "type": of["type"], **beside}


def bubble(random: Random, marks: Marks, kind: int | None = None) -> dict[str, Any]:
    """Return a message of a kind, a number of ``KINDS``."""
    make = random.choice(KINDS) if kind is None else KINDS[kind]
    return {
        "_v": 3,
        "bubbleId": marks.text(),
        "createdAt": _TIME.format(random.randrange(10)),
        "requestId": marks.text(),
        "tokenCount": {"inputTokens": marks.number(), "outputTokens": 0},
        "capabilityStatuses": {marks.text(): []},
        "isAgentic": True,
        "images": [],
        **make(random, marks),
    }


def call(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a call of a tool."""
    given = json.dumps({"command": marks.text()})
    return random.choice(
        (
            {"additionalData": {"status": "error"}},
            {
                "tool": 15,
                "name": marks.text(),
                "status": "loading",
                "rawArgs": marks.text(),
                "toolCallId": marks.text(),
            },
            {
                "tool": 15,
                "name": marks.text(),
                "toolCallId": marks.text(),
                "modelCallId": marks.text(),
                "rawArgs": given,
                "params": json.dumps({"command": marks.text()}),
                "result": json.dumps({"output": marks.text()}),
                "status": random.choice(("completed", "cancelled")),
                "userDecision": "accepted",
                "additionalData": {"sessionId": marks.text()},
            },
            {"tool": 38, "name": marks.text(), "params": given, "error": marks.text(), "status": "error"},
            {"name": marks.text(), "params": {"path": marks.text()}, "result": {"diff": marks.text()}},
        )
    )


def _prompt(random: Random, marks: Marks) -> dict[str, Any]:
    formatted = json.dumps({"root": {"children": [{"type": "paragraph", "children": [{"text": marks.text()}]}]}})
    simulated = {"isSimulatedMsg": True, "simulatedMsgReason": marks.text()}
    beside = random.choice(({}, {"text": ""}, {"richText": formatted}, {"richText": formatted, "text": ""}, simulated))
    files = [
        {"uri": {"scheme": "file", "path": f"/{marks.text()}", "fsPath": marks.text()}, "isCurrentFile": True},
        {"uri": f"file:///{marks.text()}", "rawText": marks.text(), "range": {"startLineNumber": marks.number()}},
        {"name": marks.text()},
    ]
    return {
        "type": 1,
        "text": marks.text(),
        "modelInfo": {"modelName": marks.text()},
        "context": {"fileSelections": random.sample(files, 2), "externalLinks": [{"url": "https://example.org/x"}]},
        "attachedCodeChunks": [{"relativeWorkspacePath": marks.text(), "lines": [marks.text(), marks.text()]}],
        "images": [{"path": marks.text(), "dimension": {"width": marks.number()}}, {"data": [marks.number()]}],
        "cursorRules": [{"name": marks.text(), "body": marks.text()}],
        "workspaceUris": [marks.text()],
        **beside,
    }


def _text(random: Random, marks: Marks) -> dict[str, Any]:
    code = [{"content": marks.text(), "languageId": "python", "uri": {"path": marks.text()}}, {"codeBlockIdx": 1}]
    beside = random.choice(({}, {"text": ""}, {"text": "", "codeBlocks": []}))
    timing = {"clientStartTime": 12.5, "clientRpcSendTime": _START}
    return {"type": 2, "text": marks.text(), "codeBlocks": code, "timingInfo": timing, **beside}


def _thought(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": 2, "text": "", "thinking": {"text": marks.text(), "signature": marks.text()}}


def _called(random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": 2, "text": "", "capabilityType": 15, "toolFormerData": call(random, marks)}


def _failed(random: Random, marks: Marks) -> dict[str, Any]:
    error = {"errorDetails": {"message": marks.text(), "error": marks.text()}}
    return {"type": 2, **random.choice((error, {"serviceStatusUpdate": {"message": marks.text(), "id": marks.text()}}))}


def _unknown(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": 7, "text": marks.text(), "createdAt": None}


# Of messages in newer versions.
KINDS: Final[tuple[Callable[[Random, Marks], dict[str, Any]], ...]] = (
    *(_prompt, _text, _thought, _called, _failed),
    _unknown,
)


def _asked(random: Random, marks: Marks) -> dict[str, Any]:
    said = random.choice(({"text": marks.text()}, {"delegate": {"a": marks.text()}}))
    return {"type": "user", "id": marks.text(), "selections": [{"text": marks.text()}], **said}


def _answered(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "ai", "id": marks.text(), "rawText": marks.text(), "modelType": marks.text()}
