"""Sessions of one message or line, of agents and editors."""

from __future__ import annotations

from typing import Any

from archive_pipeline_tests.readers.alone.case import Case, seeded
from benchmarks.fuzz import (
    claude_code,
    cline,
    codex,
    continue_dev,
    copilot_chat,
    copilot_cli,
    crush,
    cursor,
    droid,
    gemini_cli,
    goose,
    hermes,
    opencode,
    pi,
    qwen_code,
    zed,
)
from benchmarks.fuzz.marks import Marks


def claude_code_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one line, with a block of a type or of another kind than user and assistant."""
    random = seeded(f"{kind} {role}")
    if role == "line":
        line = claude_code.LINES[kind](random, marks)
        line = line if isinstance(line, dict) else {"line": line}
    else:
        line = claude_code.line(random, marks, role, [claude_code.BLOCKS[kind](random, marks)])
    before = claude_code.line(random, marks, "user", marks.text())
    return {"file": f"{marks.text()}.jsonl", "lines": [before, line]}, line


def codex_alone(kind: int, layout: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one item or other line in a layout, and the line."""
    random = seeded(f"{kind} {layout}")
    if layout == "bare":
        line = codex.ITEMS[kind](random, marks)
        return {"file": marks.text(), "lines": [{"id": marks.text(), "timestamp": "", "git": {}}, line]}, line
    if layout == "item":
        line = codex.wrapped("response_item", codex.ITEMS[kind](random, marks))
    else:
        line = codex.wrapped(*codex.OTHERS[kind](random, marks))
    return {"file": marks.text(), "lines": [codex.wrapped("session_meta", codex.meta(random, marks)), line]}, line


def gemini_cli_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one message of a type, and the message."""
    message = gemini_cli.message(seeded(f"{kind} {role}"), marks, role)
    head = {"sessionId": marks.text(), "projectHash": marks.text()}
    return ({**head, "messages": [message]} if kind % 2 else {"file": "x", "lines": [head, message]}), message


def copilot_chat_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one request, or the log of one, and what of it has a kind: an entry, a variable, a line."""
    random = seeded(f"{kind} {role}")
    entries = [copilot_chat.ENTRIES[kind](random, marks)] if role == "entry" else [{"value": marks.text()}]
    request = copilot_chat.request(random, marks, entries)
    session = {"responderUsername": marks.text(), "customTitle": marks.text(), "requests": [request]}
    if role == "line":
        line = copilot_chat.CHANGES[kind](marks)
        return {"file": "x.jsonl", "lines": [{"kind": 0, "v": session}, line]}, line
    request["variableData"]["variables"] = [copilot_chat.VARIABLES[kind](random, marks)] if role == "variable" else []
    return session, request["variableData"] if role == "variable" else entries[0]


def copilot_cli_alone(kind: int, _role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one event of a kind, and the event."""
    random = seeded(f"{kind}")
    name, make = copilot_cli.EVENTS[kind]
    line = copilot_cli.event(random, marks, name, make(random, marks))
    return {"file": "events.jsonl", "lines": [copilot_cli.start(random, marks), line]}, line


def cursor_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """The rows of a conversation of one message of a kind, or a transcript; and the message, or a line."""
    random = seeded(f"{kind} {role}")
    if role == "line":
        made = cursor.line(random, marks)
        return {"file": "x.jsonl", "lines": [made, {"type": "turn_ended"}]}, made
    message = cursor.bubble(random, marks, kind)
    about = {"composerId": "c", "fullConversationHeadersOnly": [{"bubbleId": message["bubbleId"]}]}
    rows = [cursor.row("composerData:c", about), cursor.row("bubbleId:c:b", message)]
    return {"database": "cursor", "conversation_id": "c", "tables": {"cursorDiskKV": rows}}, message


def cline_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one message with a block of a type, behind a call; and the message."""
    random = seeded(f"{kind} {role}")
    call = cline.message(random, marks, "assistant", [cline.call("call", marks)])
    message = cline.message(
        random, marks, role, [cline.BLOCKS[kind](random, marks), cline.TEXTS[kind % len(cline.TEXTS)](marks)]
    )
    return {"sessionId": marks.text(), "version": 1, "agent": "lead", "messages": [call, message]}, message


def opencode_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one message with a part of a type, or of one entry of version 2; and the message."""
    random = seeded(f"{kind} {role}")
    if role == "entry":
        message = opencode.ENTRIES[kind](random, marks)
    elif role == "answer":
        message = {"id": marks.text(), **opencode.answer(random, marks, [opencode.CONTENTS[kind](random, marks)])}
    else:
        message = opencode.message(random, marks, role, [opencode.PARTS[kind](random, marks)])
    return {"info": opencode.session(random, marks), "messages": [message]}, message


def pi_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one message with a block of a type, or of one entry of any kind, also as a row; and the entry."""
    random = seeded(f"{kind} {role}")
    if role == "row":
        value = pi.in_database(random, marks, [pi.header(random, marks), pi.LINES[kind](random, marks)])
        return value, value["tables"]["transcript_events"][1]
    if role == "line":
        line = pi.LINES[kind](random, marks)
    else:
        line = pi.message(random, marks, role, [pi.BLOCKS[kind](random, marks)])
    return {"file": f"{marks.text()}.jsonl", "lines": [pi.header(random, marks), line]}, line


def hermes_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one row of a role, in an export or of the database; and the row."""
    random = seeded(f"{kind} {role}")
    row = hermes.message(random, marks, role, kind)
    about = hermes.session(random, marks)
    if kind % 2:
        return {**about, "messages": [row]}, row
    tables = {"messages": [row], "sessions": [about], "session_model_usage": []}
    return {"database": "hermes", "conversation_id": about["id"], "tables": tables}, row


def goose_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one message with a block of a type, in one of its forms; and the message."""
    random = seeded(f"{kind} {role}")
    message = goose.message(random, marks, role, [goose.BLOCKS[kind](random, marks), {"type": "text", "text": "x"}])
    if kind % 3 == 0:
        value = goose.in_database(random, marks, [message])
        return value, value["tables"]["messages"][0]
    if kind % 3 == 1:
        return goose.in_export(random, marks, [message]), message
    return {"file": f"{marks.text()}.jsonl", "lines": [goose.header(marks), message]}, message


def crush_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """The rows of a session of one message with a part of a type; and the row."""
    random = seeded(f"{kind} {role}")
    parts = [crush.PARTS[kind](random, marks), {"type": "text", "data": {"text": "x"}}]
    value = crush.in_database(random, marks, [crush.message(random, marks, role, parts)])
    return value, value["tables"]["messages"][0]


def continue_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one item of a kind, and the item."""
    random = seeded(f"{kind} {role}")
    item = continue_dev.ITEMS[kind](random, marks)
    return continue_dev.session(random, marks, [item]), item


def droid_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one message with a block of a type, or of one line of another kind; and the line."""
    random = seeded(f"{kind} {role}")
    if role == "line":
        line = droid.LINES[kind](random, marks)
    else:
        line = droid.message(random, marks, role, [droid.BLOCKS[kind](random, marks), {"type": "text", "text": "x"}])
    return {"file": f"{marks.text()}.jsonl", "lines": [droid.header(random, marks), line]}, line


def zed_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A thread of one message with an item of a kind, as JSON or the row of one, or a text thread; and the message."""
    random = seeded(f"{kind} {role}")
    if role == "text":
        value = zed.text_thread(random, marks)
        return value, value
    if role == "early":
        message = zed.early_message(random, marks) | {"segments": [zed.SEGMENTS[kind](random, marks)]}
        thread = zed.of_early(random, marks, [message])
    else:
        make, kinds = (zed.prompt, zed.PROMPTS) if role == "user" else (zed.answer, zed.ANSWERS)
        message = make(random, marks, [kinds[kind](random, marks), {"Text": "x"}])
        thread = zed.of_messages(random, marks, [message])
    return (zed.row_of(random, marks, thread) if kind % 2 else thread), message


def qwen_code_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one line, with a part of a kind or about the session; and the line."""
    random = seeded(f"{kind} {role}")
    before = qwen_code.line(random, marks, "user", {"message": {"role": "user", "parts": [{"text": marks.text()}]}})
    if role == "line":
        line = qwen_code.LINES[kind](random, marks)
    else:
        line = qwen_code.message(random, marks, role, [qwen_code.PARTS[kind](random, marks), {"text": "x"}])
    return {"file": f"{marks.text()}.jsonl", "lines": [before, line]}, line


CASES: list[Case] = []
CASES += [
    ("claude_code", claude_code_alone, kind, role)
    for kind in range(len(claude_code.BLOCKS))
    for role in ("user", "assistant")
]
CASES += [("claude_code", claude_code_alone, kind, "line") for kind in range(7, len(claude_code.LINES))]
CASES += [("codex", codex_alone, kind, layout) for kind in range(len(codex.ITEMS)) for layout in ("item", "bare")]
CASES += [("codex", codex_alone, kind, "other") for kind in range(len(codex.OTHERS))]
CASES += [("gemini_cli", gemini_cli_alone, kind, role) for kind in range(4) for role in ("user", "gemini", "error")]
CASES += [("copilot_chat", copilot_chat_alone, kind, "entry") for kind in range(len(copilot_chat.ENTRIES) - 1)]
CASES += [("copilot_chat", copilot_chat_alone, kind, "variable") for kind in range(len(copilot_chat.VARIABLES))]
CASES += [("copilot_chat", copilot_chat_alone, kind, "line") for kind in range(len(copilot_chat.CHANGES))]
CASES += [("copilot_cli", copilot_cli_alone, kind, "line") for kind in (0, 1, 3, 4, 8, 9)]
CASES += [("cursor", cursor_alone, kind, "bubble") for kind in range(len(cursor.KINDS))]
CASES += [("cursor", cursor_alone, kind, "line") for kind in range(2)]
CASES += [("cline", cline_alone, kind, role) for kind in range(len(cline.BLOCKS)) for role in ("user", "assistant")]
CASES += [
    ("opencode", opencode_alone, kind, role)
    for kind, role in ((4, "user"), (3, "assistant"), (0, "entry"), (5, "entry"))
]
CASES += [("opencode", opencode_alone, 2, "answer")]
CASES += [
    ("pi", pi_alone, kind, role) for kind in range(len(pi.BLOCKS)) for role in ("user", "assistant", "toolResult")
]
CASES += [("pi", pi_alone, kind, "line") for kind in range(4, len(pi.LINES) - 2)]
CASES += [("pi", pi_alone, 0, "row")]
CASES += [("goose", goose_alone, kind, "user") for kind in range(len(goose.BLOCKS))]
CASES += [("goose", goose_alone, kind, "assistant") for kind in (3, 5, 8)]
CASES += [("crush", crush_alone, kind, "user") for kind in range(len(crush.PARTS))]
CASES += [("crush", crush_alone, kind, "assistant") for kind in (0, 3, 6, 8)]
CASES += [("crush", crush_alone, 7, "tool")]
CASES += [("continue", continue_alone, kind, str(number)) for number in range(3) for kind in range(9)]
CASES += [("hermes", hermes_alone, kind, role) for kind in range(3) for role in ("user", "assistant", "tool")]
CASES += [
    ("droid", droid_alone, kind, role) for kind in range(len(droid.BLOCKS)) for role in ("user", "assistant", "tool")
]
CASES += [("droid", droid_alone, kind, "line") for kind in range(2, len(droid.LINES) - 2)]
CASES += [
    ("qwen_code", qwen_code_alone, kind, role)
    for kind in range(len(qwen_code.PARTS))
    for role in ("user", "assistant", "tool_result")
]
CASES += [("qwen_code", qwen_code_alone, kind, "line") for kind in range(1, len(qwen_code.LINES) - 2)]
CASES += [("zed", zed_alone, kind, "user") for kind in range(len(zed.PROMPTS))]
CASES += [("zed", zed_alone, kind, "assistant") for kind in range(len(zed.ANSWERS))]
CASES += [("zed", zed_alone, kind, "early") for kind in range(len(zed.SEGMENTS))]
CASES += [("zed", zed_alone, kind, "text") for kind in range(4)]
