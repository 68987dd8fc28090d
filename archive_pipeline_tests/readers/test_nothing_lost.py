"""The law of the readers: every value of an export is in a column, in ``source_json``, or in a rejected record.

Generated conversations of every content type and role are changed at any place, real ones are marked; what is lost
is looked for in the rows that an import would write.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.registry import readers, recognise
from archive_pipeline_tests.readers.alone import CASES
from archive_pipeline_tests.readers.alone.case import Maker, seeded
from benchmarks.fuzz import (
    ai_studio,
    atif,
    chat_arrays,
    chatgpt,
    claude_ai,
    claude_code,
    codex,
    copilot_chat,
    deepseek,
    droid,
    gemini,
    gemini_cli,
    grok,
    librechat,
    llm,
    llm_spans,
    oasst,
    open_webui,
    openai_messages,
    opencode,
    pi,
    session_trace,
    sharegpt,
)
from benchmarks.fuzz.inputs import changed_conversations
from benchmarks.fuzz.law import lost
from benchmarks.fuzz.marks import Marks
from benchmarks.fuzz.rows import check_rows

ROOT = Path(os.environ.get("ARCHIVE_REAL_DATA", "/nonexistent"))
REPLACEMENTS = {
    "text": lambda marks: marks.text(),
    "number": lambda marks: marks.number(),
    "list of texts": lambda marks: [marks.text(), marks.text()],
    "list of objects": lambda marks: [{"text": marks.text(), "type": "text"}, {marks.text(): marks.number()}],
    "object": lambda marks: {"text": marks.text(), "content": [marks.text()]},
    "null": lambda _marks: None,
}
ADDED = ("text", "list of objects")
FIELDS = ("text", "parts", "content", "thoughts", "thinking", "files", "fragments", "results", "message", "query")
# Of these, whatever is in the object: the more, the longer each case takes.
SOME = 3


def absent(conversation: dict[str, Any], source: str | None = None) -> list[str]:
    """What the rows of a conversation do not have; nothing of one that is rejected.

    One that lost what it is recognised by is read as others of its file may tell: as the source, or as each.
    """
    raw = json.dumps(conversation).encode()
    value, _ = parse_json(raw)
    if (found := recognise(value).source or source) is None:
        return [text for each in readers() for text in absent(conversation, each)]
    record = readers()[found].read(value, "file[0]")
    if isinstance(record, RejectedRecord):
        return []
    dialogue = prepare(record, raw)
    check_rows(dialogue)
    return lost(conversation, dialogue)


def changed_once(value: Any, marks: Marks, random: Random) -> Iterator[str]:
    """Changes each place below a value once, in every way, and takes the change back; yields what was changed.

    To which of the other fields something moves differs from case to case.
    """
def source_of(value: dict[str, Any]) -> str:
    """The source of a conversation that lost what it is recognised by."""
    tables = value["tables"] if isinstance(value.get("tables"), dict) else {}
    fields = {
        "chat_messages": "claude_ai",
        "responses": "grok",
        "inserted_at": "deepseek",
        "chat": "open_webui",
        "chunkedPrompt": "ai_studio",
        "runSettings": "ai_studio",
        "conversation_turns": "gemini",
        "header": "gemini",
        "projectHash": "gemini_cli",
        "responderUsername": "copilot_chat",
        "requests": "copilot_chat",
        "sessionId": "gemini_cli",
        "info": "opencode",
        "tables": "opencode" if "part" in tables or "session_v2" in tables else "llm",
        "exportAt": "librechat",
        "spans_of": "llm_spans",
        "origins": "llm_spans",
        "conversationId": "librechat",
    }
    fields_of_lines = {
        "payload": "codex",
        "projectHash": "gemini_cli",
        "owner": "droid",
        "parentId": "pi",
        "k": "copilot_chat",
        "tables": "llm",
        "prompt": "oasst",
        "steps": "atif",
        "schema_version": "atif",
        "tree": "oasst",
        "message_tree_id": "oasst",
    }
    fields_of_lines = {
        "payload": "codex",
        "projectHash": "gemini_cli",
        "owner": "droid",
        "harness": "session_trace",
        "parentId": "pi",
    }
    if isinstance(lines := value.get("lines"), list):
        names = {name for line in lines if isinstance(line, dict) for name in line}
        found = (source for field, source in fields_of_lines.items() if field in names)
        return next(found, "claude_code")
    of_arrays = ("messages", "conversation", "conversations", "traj", "items", "prompt", "chosen", "rejected", "input")
    if "mapping" not in value and not {*of_arrays}.isdisjoint(value):
        has_values = '"from"' in json.dumps(value)
        fields = {**fields, **dict.fromkeys(of_arrays, "sharegpt" if has_values else "openai_messages")}
    return next((source for field, source in fields.items() if field in value), "chatgpt")


def alone_chatgpt(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one message with content of a type, and the message's node."""
    random = seeded(f"{kind} {role}")
    message = chatgpt.message(random, marks, "node")
    message["author"]["role"] = role
    message["content"] = chatgpt.CONTENTS[kind](random, marks)
    node = {"id": "node", "parent": None, "children": [], "message": message}
    return {"conversation_id": marks.text(), "mapping": {"node": node}}, node


def alone_claude(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one message with one block of a type, and the message."""
    random = seeded(f"{kind} {role}")
    message = claude_ai.message(random, marks) | {"sender": role, "content": [claude_ai.BLOCKS[kind](random, marks)]}
    return {"uuid": marks.text(), "chat_messages": [message]}, message


def alone_deepseek(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one message with one fragment of a type or none, and the message's node."""
    random = seeded(f"{kind} {role}")
    message = {**deepseek.message(random, marks), "role": role} if kind else deepseek.early_message(random, marks)
    if kind:
        message["fragments"] = [deepseek.FRAGMENTS[kind - 1](random, marks)]
    node = {"id": "node", "parent": None, "children": [], "message": message}
    return {"id": marks.text(), "inserted_at": marks.number(), "mapping": {"node": node}}, node


def alone_grok(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one response, and the entry."""
    entry = grok.response(seeded(f"{kind}"), marks)
    entry["response"]["sender"] = role
    return {"conversation": {"id": marks.text(), "title": marks.text()}, "responses": [entry]}, entry


def alone_open_webui(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chat of one message with content of a kind, and the message."""
    message = open_webui.message(seeded(f"{kind} {role}"), marks, open_webui.CONTENTS[kind], role)
    chat = {"history": {"messages": {message["id"]: message}, "currentId": message["id"]}}
    return {"id": marks.text(), "user_id": marks.text(), "chat": chat}, message


def alone_librechat(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """An export of one message with one part of a type, and the part; of the first type the message."""
    random = seeded(f"{kind} {role}")
    message = librechat.message(random, marks, is_users=role == "user")
    message["content"] = [librechat.PARTS[kind](random, marks)]
    conversation = {"conversationId": marks.text(), "exportAt": marks.text(), "messages": [message]}
    return conversation, message if kind == 0 else message["content"][0]


def alone_copilot_chat(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
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


def alone_openai_messages(kind: int, form: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A line of one message of a kind in a form, and the message."""
    random = seeded(f"{kind} {form}")
    makers = (*chat_arrays.MESSAGES, *openai_messages.MESSAGES)
    message = makers[kind % len(makers)](random, marks)
    return openai_messages.line(random, marks, form, [message]), message


def alone_sharegpt(kind: int, form: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A line of one turn of a speaker in a form, and the turn."""
    random = seeded(f"{kind} {form}")
    speakers = (*sharegpt.SPEAKERS, *sharegpt.CALLS)
    turn = sharegpt.turn(random, marks, speakers[kind % len(speakers)])
    return sharegpt.line(random, marks, form, [turn]), turn


def alone_ai_studio(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A prompt of one chunk with content of a kind, and the chunk."""
    chunk = ai_studio.chunk(seeded(f"{kind} {role}"), marks, ai_studio.CONTENTS[kind], role)
    return {"runSettings": {"model": marks.text()}, "chunkedPrompt": {"chunks": [chunk]}}, chunk


def alone_gemini(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one turn, and the turn; or a record of activity with an answer of a kind."""
    random = seeded(f"{kind} {role}")
    if role == "activity":
        record = gemini.activity(random, marks, gemini.ANSWERS[kind])
        return record, record
    turn = gemini.turn(random, marks, role)
    return {"title": marks.text(), "creation_time": marks.text(), "conversation_turns": [turn]}, turn


def alone_gemini_cli(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one message of a type, and the message."""
    message = gemini_cli.message(seeded(f"{kind} {role}"), marks, role)
    head = {"sessionId": marks.text(), "projectHash": marks.text()}
    return ({**head, "messages": [message]} if kind % 2 else {"file": "x", "lines": [head, message]}), message


def alone_codex(kind: int, layout: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
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


def alone_claude_code(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one line, with a block of a type or of another kind than user and assistant."""
    random = seeded(f"{kind} {role}")
    if role == "line":
        line = claude_code.LINES[kind](random, marks)
        line = line if isinstance(line, dict) else {"line": line}
    else:
        line = claude_code.line(random, marks, role, [claude_code.BLOCKS[kind](random, marks)])
    before = claude_code.line(random, marks, "user", marks.text())
    return {"file": f"{marks.text()}.jsonl", "lines": [before, line]}, line


def alone_pi(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one message with a block of a type, or of one entry of another kind; and the entry."""
    random = seeded(f"{kind} {role}")
    if role == "line":
        line = pi.LINES[kind](random, marks)
    else:
        line = pi.message(random, marks, role, [pi.BLOCKS[kind](random, marks)])
    return {"file": f"{marks.text()}.jsonl", "lines": [pi.header(random, marks), line]}, line


def alone_droid(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one message with a block of a type, or of one line of another kind; and the line."""
    random = seeded(f"{kind} {role}")
    if role == "line":
        line = droid.LINES[kind](random, marks)
    else:
        line = droid.message(random, marks, role, [droid.BLOCKS[kind](random, marks), {"type": "text", "text": "x"}])
    return {"file": f"{marks.text()}.jsonl", "lines": [droid.header(random, marks), line]}, line


def alone_session_trace(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A trace of one message with a block of a type, or of one line of another kind; and the line."""
    random = seeded(f"{kind} {role}")
    if role == "line":
        line = session_trace.LINES[kind](random, marks)
    else:
        line = session_trace.message(random, marks, role)
        line["message"]["content"] = [session_trace.BLOCKS[kind](random, marks)]
    return {"file": f"{marks.text()}.jsonl", "lines": [session_trace.header(random, marks), line]}, line


def alone_atif(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A trajectory of one step that says a piece of a type, and whose result says it too; and the step."""
    random = seeded(f"{kind} {role}")
    step = atif.step(random, marks, role, 1)
    result = {"source_call_id": marks.text(), "content": [atif.PIECES[kind](random, marks)]}
    step |= {"message": [atif.PIECES[kind](random, marks)], "observation": {"results": [result]}}
    return {**atif.trajectory(random, marks, 0), "steps": [step]}, step


def alone_oasst(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A tree of a prompt and a reply or, of the other kinds, messages that stand alone; and the last of them."""
    random = seeded(f"{kind} {role}")
    if not kind:
        tree = oasst.tree(random, marks)
        reply = {**oasst.message(random, marks, role), "replies": []}
        tree["prompt"] = {**oasst.message(random, marks, "prompter"), "replies": [reply]}
        return tree, reply
    messages = [oasst.ALONE[kind - 1](random, marks, each) for each in ("prompter", role)]
    return {"tree": marks.text(), "messages": messages}, messages[-1]


def alone_llm(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one message with one part of a type or, without a role, of one response; and its tables."""
    random = seeded(f"{kind} {role}")
    tables: defaultdict[str, list[Any]] = defaultdict(list)
    if role:
        name = llm.message(random, marks, None, tables)
        tables["messages"][0]["role"] = role
        tables["parts"] = [llm.part(random, marks, name, 0, llm.PARTS[kind], tables)]
    else:
        llm.response(random, marks, marks.text(), tables)
    changed = dict(tables)
    return {"database": "llm", "conversation_id": marks.text(), "tables": changed}, changed


def alone_llm_spans(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """Gathered spans of a call that is given one message with a part of a type, and the message."""
    random = seeded(f"{kind} {role}")
    said = llm_spans.message(random, marks, role)
    said["parts"] = [llm_spans.PARTS[kind](random, marks)]
    value = llm_spans.opentelemetry(random, marks, [said, llm_spans.message(random, marks, "assistant")])
    [gathered] = llm_spans.dialogues_in(value)
    return gathered, gathered["messages"][-2]


def alone_opencode(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one message with a part of a type, or of one entry of version 2; and the message."""
    random = seeded(f"{kind} {role}")
    if role == "entry":
        message = opencode.ENTRIES[kind](random, marks)
    elif role == "answer":
        message = {"id": marks.text(), **opencode.answer(random, marks, [opencode.CONTENTS[kind](random, marks)])}
    else:
        message = opencode.message(random, marks, role, [opencode.PARTS[kind](random, marks)])
    return {"info": opencode.session(random, marks), "messages": [message]}, message


CASES = [(alone_chatgpt, kind, role) for kind in range(len(chatgpt.CONTENTS)) for role in ("user", "assistant", "tool")]
CASES += [(alone_claude, kind, role) for kind in range(len(claude_ai.BLOCKS)) for role in ("human", "assistant")]

CASES += [(alone_deepseek, kind, role) for kind in range(len(deepseek.FRAGMENTS) + 1) for role in ("USER", "ASSISTANT")]
CASES += [(alone_claude_code, kind, role) for kind in range(len(claude_code.BLOCKS)) for role in ("user", "assistant")]
CASES += [(alone_claude_code, kind, "line") for kind in range(7, len(claude_code.LINES))]
CASES += [(alone_grok, kind, role) for kind in range(6) for role in ("human", "ASSISTANT")]
CASES += [(alone_librechat, kind, "model") for kind in range(len(librechat.PARTS) - 1)] + [(alone_librechat, 0, "user")]
CASES += [(alone_copilot_chat, kind, "entry") for kind in range(len(copilot_chat.ENTRIES) - 1)]
CASES += [(alone_copilot_chat, kind, "variable") for kind in range(len(copilot_chat.VARIABLES))]
CASES += [(alone_copilot_chat, kind, "line") for kind in range(len(copilot_chat.CHANGES))]
CASES += [(alone_ai_studio, kind, role) for kind in range(len(ai_studio.CONTENTS)) for role in ("user", "model")]
CASES += [(alone_gemini, kind, "activity") for kind in range(len(gemini.ANSWERS))]
CASES += [(alone_gemini, 0, role) for role in gemini.KINDS]
CASES += [(alone_gemini_cli, kind, role) for kind in range(4) for role in ("user", "gemini", "error")]
CASES += [(alone_open_webui, kind, role) for kind in range(len(open_webui.CONTENTS)) for role in ("user", "assistant")]
CASES += [(alone_openai_messages, kind, form) for kind, form in enumerate(openai_messages.FORMS)]
CASES += [(alone_sharegpt, kind, form) for kind, form in enumerate(2 * sharegpt.FORMS)]
CASES += [(alone_codex, kind, layout) for kind in range(len(codex.ITEMS)) for layout in ("item", "bare")]
CASES += [(alone_codex, kind, "other") for kind in range(len(codex.OTHERS))]
CASES += [(alone_opencode, kind, role) for kind, role in ((4, "user"), (3, "assistant"), (0, "entry"), (5, "entry"))]
CASES += [(alone_opencode, 2, "answer")]
CASES += [(alone_pi, kind, role) for kind in range(len(pi.BLOCKS)) for role in ("user", "assistant", "toolResult")]
CASES += [(alone_pi, kind, "line") for kind in range(4, len(pi.LINES) - 2)]
CASES += [(alone_droid, kind, role) for kind in range(len(droid.BLOCKS)) for role in ("user", "assistant", "tool")]
CASES += [(alone_droid, kind, "line") for kind in range(2, len(droid.LINES) - 2)]
CASES += [(alone_session_trace, kind, role) for kind in range(4) for role in ("user", "assistant", "tool")]
CASES += [(alone_session_trace, kind, "line") for kind in range(3, 7)]
CASES += [(alone_atif, kind, role) for kind in range(len(atif.PIECES)) for role in ("user", "agent")]
CASES += [(alone_oasst, kind, role) for kind in range(3) for role in ("prompter", "assistant")]
CASES += [(alone_llm_spans, kind, role) for kind in (0, 2, 3, 5, 6, 9) for role in ("user", "tool")]
CASES += [(alone_llm, kind, role) for kind in range(len(llm.PARTS)) for role in ("user", "assistant", "")]


def changed_once(value: Any, marks: Marks) -> Iterator[str]:
    """Changes each place below a value once, in every way, and takes the change back; yields what was changed."""
    names = list(value) if isinstance(value, dict) else range(len(value))
    for name in names:
        kept = value[name]
        for what, make in REPLACEMENTS.items():
            value[name] = make(marks)
            yield f"{name} is {what}"
        value[name] = kept
        if isinstance(kept, dict | list):
            yield from (f"{name}.{change}" for change in changed_once(kept, marks, random))
    if isinstance(value, dict):
        yield from changed_keys(value, marks, random)


def changed_keys(value: dict[str, Any], marks: Marks, random: Random) -> Iterator[str]:
    for name in [marks.text(), *others(value, random)]:
        for what in ADDED:
            value[name] = REPLACEMENTS[what](marks)
            yield f"{name} added, {what}"
        del value[name]
    for name in list(value):
        kept = value.pop(name)
        yield f"{name} dropped"
        for other in others(value, random):
            value[other] = kept
            yield f"{name} moved to {other}"
            del value[other]
        value[name] = kept


def others(value: dict[str, Any], random: Random) -> list[str]:
    """Some of the fields that an object does not have."""
    return random.sample([field for field in FIELDS if field not in value], k=SOME)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "alone", "kind", "role"), CASES, ids=lambda item: "" if callable(item) else str(item)
)
def test_no_change_of_a_message_loses_anything(source: str, alone: Maker, kind: int, role: str):
    marks = Marks()
    conversation, message = alone(kind, role, marks)
    assert absent(conversation, source) == []
    changes = changed_once(message, marks, seeded(f"{source} {kind} {role}"))
    losses = {change: gone for change in changes if (gone := absent(conversation, source))}
    assert losses == {}


@given(st.integers(0, 2**32), st.integers(0, 8))
@settings(max_examples=400, deadline=None)
def test_no_value_of_a_changed_conversation_is_lost(seed: int, changes: int):
    for conversation in changed_conversations(seeded(seed), 1, changes):
        assert absent(conversation) == []


VOCABULARY = frozenset({"content_type", "type", "role", "sender", "status", "recipient", "stop_reason"})


OF_LINES = ("uuid", "parentUuid", "sessionId", "timestamp", "id", "parentId")


def marked(value: Any, marks: Marks, ids: frozenset[str]) -> Any:
    """A copy of a real conversation in which every string but ids and words of the format bears a mark."""
    if isinstance(value, dict):
        return {
            name: item if name in VOCABULARY and isinstance(item, str) else marked(item, marks, ids)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [marked(item, marks, ids) for item in value]
    return f"{value} {marks.text()}" if isinstance(value, str) and value and value not in ids else value


def ids_of(conversation: dict[str, Any]) -> frozenset[str]:
    if "lines" in conversation:
        lines = [line for line in conversation["lines"] if isinstance(line, dict)]
        return frozenset(str(line[name]) for line in lines for name in OF_LINES if name in line)
    messages = [node.get("message") or {} for node in (conversation.get("mapping") or {}).values()]
    entries = [*messages, *(conversation.get("chat_messages") or [])]
    return frozenset([*(conversation.get("mapping") or {}), *(str(e.get("uuid") or e.get("id")) for e in entries)])


REAL_FILES = sorted(path for name in ("chatgpt", "claude_ai") for path in (ROOT / name).rglob("*.json"))
SESSIONS = sorted(path for name in ("claude_code", "codex", "droid", "pi") for path in (ROOT / name).rglob("*.jsonl"))


@pytest.mark.real_data
@pytest.mark.skipif("ARCHIVE_REAL_DATA" not in os.environ, reason="ARCHIVE_REAL_DATA is not set")
@pytest.mark.parametrize("path", REAL_FILES, ids=lambda path: path.stem)
def test_nothing_of_a_real_conversation_is_lost(path: Path):
    content = json.loads(path.read_text(encoding="utf-8-sig"))
    conversations = content if isinstance(content, list) else [content]
    for conversation in conversations:
        assert absent(conversation) == []
        assert absent(marked(conversation, Marks(), ids_of(conversation))) == []


@pytest.mark.real_data
@pytest.mark.skipif("ARCHIVE_REAL_DATA" not in os.environ, reason="ARCHIVE_REAL_DATA is not set")
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_nothing_of_a_real_session_is_lost(path: Path):
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    session = {"file": path.name, "lines": lines}
    assert absent(session) == []
    assert absent(marked(session, Marks(), ids_of(session))) == []
