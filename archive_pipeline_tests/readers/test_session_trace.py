"""Session traces: chains of messages, trees of llama.app, calls with their results; Pi's and Droid's stay theirs."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, JsonText, PartType
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import is_session_line, recognise
from archive_pipeline.readers.session_trace.dialogue import read_session
from archive_pipeline_tests.trials import trials

HEADER = {"type": "session", "harness": "my-agent", "id": "abc", "name": "What time is it"}
CALL = {"id": "t1", "function": {"name": "get_time", "arguments": '{"zone": "UTC",  "n": 1.10}'}}


def line(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": content, **more}}


TRACE = [
    HEADER,
    line("system", "Be brief."),
    line("user", "what time is it?", timestamp=1_751_380_800_000),
    line("assistant", "", reasoningContent="A clock is needed.", toolCalls=[CALL], model="m-1"),
    line("tool", "2026-07-01T15:00:00Z", toolCallId="t1"),
    line("assistant", "it is 15:00 UTC", model="m-1", timestamp=1_751_380_805_000),
]


def read(*lines: Any) -> DialogueRecord:
    record = read_session({"file": "x.jsonl", "lines": list(lines)}, "x.jsonl")
    assert isinstance(record, DialogueRecord)
    return record


def said(record: DialogueRecord) -> list[tuple[str, list[tuple[PartType, str | None]]]]:
    return [(m.role, [(part.part_type, part.text) for part in m.parts]) for m in record.messages]


def parents(record: DialogueRecord) -> list[str | None]:
    return [message.link.parent for message in prepare(record, b"").messages]


def test_messages_follow_one_another_with_thoughts_calls_and_results():
    record = read(*TRACE)
    about = (record.source, record.source_id, record.title, record.created_at, record.updated_at)
    first, last = (datetime(2025, 7, 1, 14, 40, second, tzinfo=UTC) for second in (0, 5))
    assert about == ("session_trace", "abc", "What time is it", first, last)
    assert said(record) == [
        ("system", [(PartType.TEXT, "Be brief.")]),
        ("user", [(PartType.TEXT, "what time is it?")]),
        ("assistant", [(PartType.THINKING, "A clock is needed."), (PartType.TOOL_USE, None)]),
        ("tool", [(PartType.TOOL_RESULT, "2026-07-01T15:00:00Z")]),
        ("assistant", [(PartType.TEXT, "it is 15:00 UTC")]),
    ]
    call, result = record.messages[2].parts[1], record.messages[3].parts[0]
    assert (call.tool_name, call.tool_use_id) == ("get_time", "t1")
    assert call.tool_input == JsonText('{"zone": "UTC",  "n": 1.10}')  # to the letter
    assert (result.tool_name, result.tool_use_id) == ("get_time", "t1")
    assert [message.model for message in record.messages] == [None, None, "m-1", None, "m-1"]
    assert not any(message.is_hidden for message in record.messages)
    assert parents(record) == [None, *(message.source_id for message in record.messages[:-1])]
    assert record.source_json == {"file": "x.jsonl", "lines": {"1": HEADER}}
    assert not record.warnings


def of_llama(name: str, parent: str | None, role: str, content: str, second: int, **more: Any) -> dict[str, Any]:
    own = {"id": name, "convId": "c", "type": "text", "parent": parent, "children": [], "timestamp": second * 1_000}
    return {"type": "message", "message": {**own, "role": role, "content": content, **more}}


IMAGE = base64.b64encode(b"picture").decode()
PICTURE = {"type": "IMAGE", "name": "a.png", "base64Url": f"data:image/png;base64,{IMAGE}"}
LLAMA = [
    {"type": "session", "harness": "llama.app", "currNode": "a2", "id": "c", "lastModified": 1_751_809_805_123},
    of_llama("root", None, "system", "", 1, type="root"),
    of_llama("s", "root", "system", "Be a tutor.", 2, type="system"),
    of_llama("q", "s", "user", "why?", 3, extra=[PICTURE]),
    of_llama("a1", "q", "assistant", "because", 4, model="qwen", timings={"prompt_n": 58}),
    of_llama("a2", "q", "assistant", "since", 5, model="qwen"),
]


def test_a_session_of_llama_app_is_a_tree_below_a_root_that_says_nothing():
    record = read(*LLAMA)
    assert [(m.source_id, m.role) for m in record.messages] == [
        ("s", "system"),
        ("q", "user"),
        ("a1", "assistant"),
        ("a2", "assistant"),
    ]
    assert parents(record) == [None, "s", "q", "q"]
    assert prepare(record, b"").active == "a2"
    [image] = record.messages[1].attachments
    assert (image.file_name, image.mime_type) == ("a.png", "image/png")
    assert image.content_sha256 == hashlib.sha256(b"picture").hexdigest()
    assert record.messages[2].source["message"]["timings"] == {"prompt_n": 58}
    assert record.updated_at == datetime(2025, 7, 6, 13, 50, 5, 123000, tzinfo=UTC)


@given(st.permutations(LLAMA[1:]))
@trials(15)
def test_a_tree_is_the_same_in_whatever_order_its_messages_stand(lines: list[Any]):
    record = read(LLAMA[0], *lines)
    found = {message.source_id: link for message, link in zip(record.messages, parents(record), strict=True)}
    assert found == {"s": None, "q": "s", "a1": "q", "a2": "q"}


def test_lines_may_name_the_line_before_them():
    tree = [
        {"id": "1", "parentId": None, **line("user", "a")},
        {"id": "2", "parentId": "1", **line("assistant", "b")},
        {"id": "3", "parentId": "1", **line("assistant", "c")},
    ]
    record = read(HEADER, *tree)
    assert [(m.source_id, m.parent_source_id) for m in record.messages] == [("1", None), ("2", "1"), ("3", "1")]
    assert record.messages[1].source == {"type": "message"}


def test_what_is_no_message_is_kept_and_nothing_raises():
    odd = line("assistant", [{"type": "text", "text": "a"}, {"type": "hologram"}], toolCalls=["x", CALL])
    lines = [HEADER, odd, {"type": "message", "message": 7}, {"unreadable_line": "{"}, {"type": "event", "a": 1}, [1]]
    record = read(*lines, line("tool", "late", toolCallId="none"), line("robot", "beep"))
    assert said(record) == [
        ("assistant", [(PartType.TEXT, "a"), (PartType.UNKNOWN, None), (PartType.TOOL_USE, None)]),
        ("tool", [(PartType.TOOL_RESULT, "late")]),
        ("system", [(PartType.TEXT, "beep")]),
    ]
    assert set(record.source_json["lines"]) == {"1", "3", "4", "5", "6"}
    assert record.warnings == {
        "malformed_call": 1,
        "malformed_message": 3,
        "unknown_part:hologram": 1,
        "unpaired_tool_result": 1,
        "unknown_role": 1,
    }


def test_a_second_header_begins_anew():
    record = read(*TRACE, {**HEADER, "id": "other"}, line("user", "and now?"))
    assert record.source_id == "abc"
    assert parents(record)[-1] is None


def test_a_session_that_has_grown_keeps_the_ids_of_its_messages():
    before, after = (prepare(read(*lines), b"").messages for lines in (TRACE[:4], TRACE))
    assert [message.id for message in before] == [message.id for message in after[: len(before)]]


OF_PI = {"type": "session", "id": "p", "timestamp": "2026-01-16T02:37:34Z", "cwd": "/w", "harness": "my-agent"}
ENTRY = {"type": "message", "id": "1", "parentId": None, "timestamp": "2026-01-16T02:37:34Z", "message": {}}
RESULT = {"type": "message", "id": "1", "parentId": None, "message": {"role": "toolResult", "content": []}}
OF_DROID = {"type": "session_start", "id": "d", "title": "T", "owner": "o", "cwd": "/w"}


@pytest.mark.parametrize(
    ("lines", "source", "confidence"),
    [
        (TRACE, "session_trace", 1.0),
        (LLAMA, "session_trace", 1.0),
        ([HEADER], "session_trace", 0.6),
        ([HEADER, {"type": "message", "message": {}}], "session_trace", 0.6),
        ([{**OF_PI}, *TRACE[1:]], "session_trace", 1.0),
        ([OF_PI, ENTRY], "pi", 1.0),
        ([HEADER, RESULT], "pi", 0.9),
        ([OF_PI], "pi", 0.6),
        ([OF_DROID, {"id": "m", **line("user", "a")}], "droid", 1.0),
        (TRACE[1:], None, 0.0),
    ],
)
def test_a_harness_and_messages_tell_a_trace_from_sessions_of_agents(
    lines: list[Any], source: str | None, confidence: float
):
    verdict = recognise({"file": "x.jsonl", "lines": lines})
    assert (verdict.source, verdict.evidence.confidence) == (source, confidence)


def test_a_file_is_one_session(tmp_path: Path):
    path = tmp_path / "trace.jsonl"
    path.write_text("\n".join(map(json.dumps, TRACE)))
    [item] = [item for file in read_paths([path]) for item in file.records()]
    assert isinstance(item, ReadDialogue)
    assert said(item.record) == said(read(*TRACE))
    assert is_session_line(HEADER)
    assert not is_session_line(TRACE[1])
