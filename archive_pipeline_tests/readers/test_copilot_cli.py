"""Copilot CLI's sessions: prompts, answers of several events, results, what the program puts in, and subagents."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, PartType, RejectedRecord
from archive_pipeline.readers.copilot_cli import READER
from archive_pipeline.readers.copilot_cli.dialogue import inner_sessions
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import is_session_line, recognise
from archive_pipeline_tests.readers.work import growth
from benchmarks.fuzz import copilot_cli
from benchmarks.fuzz.marks import Marks

TEXT, CONTEXT, THINKING, ERROR = PartType.TEXT, PartType.CONTEXT, PartType.THINKING, PartType.ERROR
USE, RESULT = PartType.TOOL_USE, PartType.TOOL_RESULT
START = {
    "sessionId": "s",
    "version": 1,
    "producer": "copilot-agent",
    "copilotVersion": "1.0.80",
    "startTime": "2026-02-03T10:00:00.000Z",
    "selectedModel": "gpt-5",
    "context": {"cwd": "/work/shop", "branch": "main"},
}
Line = dict[str, Any]


def lines_of(*events: tuple[Any, ...], start: Line | None = None) -> list[Line]:
    """The lines of events: each the type, its data and more fields, chained after ``session.start``."""
    lines: list[Line] = []
    for number, (kind, data, *more) in enumerate((("session.start", start or START), *events)):
        about = {"id": f"e{number}", "timestamp": f"2026-02-03T10:00:{number:02}.000Z", "parentId": None}
        line = {"type": kind, "data": data, **about, **(more[0] if more else {})}
        lines.append({**line, "parentId": lines[-1]["id"] if lines else None})
    return lines


def read(*events: tuple[Any, ...], start: Line | None = None) -> DialogueRecord:
    value = {"file": "events.jsonl", "lines": lines_of(*events, start=start)}
    assert recognise(value).source == "copilot_cli"
    record = READER.read(value, "events.jsonl")
    assert isinstance(record, DialogueRecord)
    return record


def said(record: DialogueRecord) -> list[tuple[str, list[tuple[PartType, str | None]]]]:
    return [(m.role, [(part.part_type, part.text) for part in m.parts]) for m in record.messages]


def request(name: str, tool: str, **arguments: Any) -> Line:
    return {"toolCallId": name, "name": tool, "arguments": arguments, "type": "function"}


EVENTS: tuple[tuple[Any, ...], ...] = (
    ("session.info", {"infoType": "folder_trust", "message": "trusted"}),
    ("user.message", {"content": "Is it wet?", "transformedContent": "<now>10:00</now> Is it wet?", "attachments": []}),
    ("assistant.turn_start", {"turnId": "0"}),
    (
        "assistant.message",
        {
            "messageId": "m1",
            "content": "I will look.",
            "reasoningText": "Look.",
            "toolRequests": [request("c1", "view")],
        },
    ),
    ("tool.execution_start", {"toolCallId": "c1", "toolName": "view", "arguments": {}}),
    (
        "tool.execution_complete",
        {"toolCallId": "c1", "success": True, "result": {"content": "rain", "detailedContent": "r"}},
    ),
    ("assistant.message", {"messageId": "m2", "content": "Yes.", "model": "gpt-5-mini", "toolRequests": []}),
)


def test_a_session_is_read_whole(tmp_path: Path):
    folder = tmp_path / "0c3c1c7a-0000-4000-8000-000000000001"
    folder.mkdir()
    (folder / "events.jsonl").write_text("\n".join(map(json.dumps, lines_of(*EVENTS))) + "\n")
    (folder / "workspace.yaml").write_text("id: s\n")
    items = [item for file in read_paths([tmp_path]) for item in file.records()]
    [record] = [item.record for item in items if isinstance(item, ReadDialogue)]
    about = (record.source, record.source_id, record.title, record.project_id, record.warnings)
    assert about == ("copilot_cli", "s", None, "/work/shop", {})
    assert record.created_at == datetime(2026, 2, 3, 10, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 2, 3, 10, 0, 7, tzinfo=UTC)
    assert said(record) == [
        ("user", [(TEXT, "Is it wet?")]),
        ("assistant", [(THINKING, "Look."), (TEXT, "I will look."), (USE, None)]),
        ("tool", [(RESULT, "rain")]),
        ("assistant", [(TEXT, "Yes.")]),
    ]
    assert [m.source_id for m in record.messages] == ["e2", "e4", "e6", "e7"]
    assert [m.model for m in record.messages] == [None, "gpt-5", None, "gpt-5-mini"]
    result = record.messages[2].parts[0]
    assert (result.tool_name, result.tool_use_id, result.is_error) == ("view", "c1", False)
    assert record.messages[2].source["data"]["result"] == {"detailedContent": "r"}
    assert sorted(record.source_json["lines"]) == ["1", "2", "4", "6"]


def test_events_of_one_call_of_the_model_are_one_message():
    record = read(
        ("assistant.message", {"apiCallId": "a", "chunkIndex": 0, "content": "", "reasoningText": "One."}),
        ("assistant.message", {"apiCallId": "a", "chunkIndex": 1, "content": "Two.", "toolRequests": []}),
        ("assistant.message", {"apiCallId": "b", "content": "Three."}),
        ("user.message", {"content": "Go on."}),
        ("assistant.message", {"apiCallId": "b", "content": "Four."}),
    )
    assert said(record) == [
        ("assistant", [(THINKING, "One."), (TEXT, "Two.")]),
        ("assistant", [(TEXT, "Three.")]),
        ("user", [(TEXT, "Go on.")]),
        ("assistant", [(TEXT, "Four.")]),
    ]
    assert record.source_json["lines"]["3"]["data"]["chunkIndex"] == 1


@pytest.mark.parametrize(
    ("kind", "data", "role", "part"),
    [
        ("user.message", {"content": "x", "source": "skill-pdf"}, "system", CONTEXT),
        ("user.message", {"content": "x", "isAutopilotContinuation": True}, "system", CONTEXT),
        *[
            ("user.message", {"content": "x", "source": source}, "system", CONTEXT)
            for source in (
                *("skill", "thinking-exhausted-continuation", "instruction-discovery", "jit-instruction", "autopilot"),
                *("snippy-blocking", "system", "schedule-1", "agent-1", "other"),
            )
        ],
        *[
            ("user.message", {"content": "x", "source": source}, "user", TEXT)
            for source in ("user", "command", "command-7", "immediate-prompt", "", None)
        ],
        ("system.message", {"content": "x", "role": "system"}, "system", CONTEXT),
        ("system.notification", {"content": "x", "kind": {"type": "shell_completed"}}, "system", CONTEXT),
        ("skill.invoked", {"content": "x", "name": "pdf", "path": "p"}, "system", CONTEXT),
        ("session.compaction_complete", {"summaryContent": "x", "success": True}, "system", CONTEXT),
        ("session.error", {"message": "x", "errorType": "quota"}, "assistant", ERROR),
    ],
)
def test_what_the_program_says_is_not_the_users(kind: str, data: Line, role: str, part: PartType):
    [message] = read(("user.message", {"content": "Go."}), (kind, data)).messages[1:]
    assert (message.role, [(each.part_type, each.text) for each in message.parts]) == (role, [(part, "x")])
    assert message.is_hidden == (role == "system")
    assert message.state == ("error" if part is ERROR else "complete")


def test_a_prompt_of_an_unknown_sender_is_never_taken_for_the_users_and_counted():
    record = read(("user.message", {"content": "x", "source": "hologram"}), ("user.message", {"content": "y"}))
    assert said(record) == [("system", [(CONTEXT, "x")]), ("user", [(TEXT, "y")])]
    assert record.warnings == {"unknown_role": 1}


def test_a_result_may_be_a_text_or_an_error_and_of_no_call():
    record = read(
        ("tool.execution_start", {"toolCallId": "c1", "toolName": "bash"}),
        ("tool.execution_complete", {"toolCallId": "c1", "success": False, "error": {"message": "no", "code": "7"}}),
        ("tool.execution_complete", {"toolCallId": "c2", "success": True, "result": "yes"}),
    )
    first, second = (m.parts[0] for m in record.messages)
    assert (first.tool_name, first.text, first.is_error) == ("bash", "no", True)
    assert (second.tool_name, second.text, second.is_error) == (None, "yes", False)
    assert record.warnings == {"unpaired_tool_result": 1}


def test_files_are_attachments_and_the_model_may_change():
    files = [
        {"type": "file", "path": "/w/a.py", "displayName": "a.py", "lineRange": {"start": 1, "end": 2}},
        {"type": "selection", "filePath": "/w/b.py", "displayName": "b.py", "text": "x = 1"},
        {"type": "blob", "data": "aGk=", "mimeType": "image/png", "byteLength": 2},
    ]
    record = read(
        ("session.model_change", {"newModel": "opus"}),
        ("user.message", {"content": "See.", "attachments": files}),
        ("assistant.message", {"content": "Fine."}),
        ("session.resume", {"resumeTime": "2026-02-03T11:00:00.000Z", "selectedModel": "sonnet"}),
        ("user.message", {"content": "And now?"}),
        ("assistant.message", {"content": "Still fine."}),
        ("session.title_changed", {"title": "Files"}),
    )
    found = [(a.file_name, a.uri, a.extracted_text, a.size_bytes) for a in record.messages[0].attachments]
    assert found == [("a.py", "/w/a.py", None, None), ("b.py", "/w/b.py", "x = 1", None), (None, None, None, 2)]
    assert record.messages[0].attachments[2].content_sha256 is not None
    assert [m.model for m in record.messages] == [None, "opus", None, "sonnet"]
    assert record.title == "Files"


def test_subagents_are_dialogues_of_their_own(tmp_path: Path):
    events: tuple[tuple[Any, ...], ...] = (
        ("user.message", {"content": "Find it."}),
        ("assistant.message", {"content": "", "toolRequests": [request("c1", "task", prompt="Find.")]}),
        ("subagent.started", {"toolCallId": "c1", "agentName": "explore"}, {"agentId": "a1"}),
        ("user.message", {"content": "Find."}, {"agentId": "a1"}),
        ("assistant.message", {"content": "Found.", "parentToolCallId": "c1"}, {"agentId": "a1"}),
        ("tool.execution_complete", {"toolCallId": "c1", "success": True, "result": {"content": "Found."}}),
        ("assistant.message", {"content": "It is there."}),
    )
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(map(json.dumps, lines_of(*events))))
    items = [item.record for file in read_paths([path]) for item in file.records() if isinstance(item, ReadDialogue)]
    inner, outer = items
    assert (inner.source_id, inner.parent_source_id, outer.source_id) == ("s-agent-a1", "s", "s")
    assert said(inner) == [("user", [(TEXT, "Find.")]), ("assistant", [(TEXT, "Found.")])]
    assert [m.parent_source_id for m in inner.messages] == ["e3", "e4"]
    assert inner.message_less_nodes == {"e3": None}
    assert [m.role for m in outer.messages] == ["user", "assistant", "tool", "assistant"]
    assert [*inner_sessions({"lines": [], "subagent_of": {}})] == []


def test_sessions_in_one_file_are_dialogues_of_their_own(tmp_path: Path):
    first = lines_of(("user.message", {"content": "q of A"}), ("user.message", {"content": "x"}, {"agentId": "a1"}))
    second = lines_of(
        ("user.message", {"content": "q of B"}),
        ("user.message", {"content": "y"}, {"agentId": "a1"}),
        start={**START, "sessionId": "t"},
    )
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(map(json.dumps, [*first, *first[:1], *second])))
    items = [item.record for file in read_paths([path]) for item in file.records() if isinstance(item, ReadDialogue)]
    assert [(item.source_id, item.parent_source_id) for item in items] == [
        *(("s-agent-a1", "s"), ("t-agent-a1", "t"), ("t", None), ("s", None)),
    ]
    assert [said(item) for item in items] == [
        [("user", [(TEXT, "x")])],
        [("user", [(TEXT, "y")])],
        [("user", [(TEXT, "q of B")])],
        [("user", [(TEXT, "q of A")])],
    ]
    assert [message.parent_source_id for message in items[2].messages] == ["e0"]


@pytest.mark.parametrize(
    ("lines", "confidence"),
    [
        (lines_of(*EVENTS), 1.0),
        (lines_of(*EVENTS)[1:], 0.9),
        (lines_of(), 0.6),
        ([{"type": "user.message", "data": {"content": "x"}}], 0.0),
        ([{"type": "session.start", "data": {"sessionId": "s"}}], 0.0),
        (lines_of(start={"sessionId": "s", "producer": "copilot-agent", "startTime": "2026-02-03T10:00:00.000Z"}), 0.6),
        (lines_of(start={"sessionId": "s", "producer": "a shop", "startTime": "2026-02-03T10:00:00.000Z"}), 0.0),
        (
            lines_of(("page.view", {"url": "/"}), ("session.end", {}), start={"sessionId": "s", "startTime": "2026"}),
            0.0,
        ),
        (lines_of(("user.message", {"text": "x"}), ("user.message", {"content": "x"}))[1:], 0.0),
        (lines_of(("assistant.message", {"messageId": "m", "content": "x"}), ("session.shutdown", {}))[1:], 0.0),
        (lines_of(("user.message", {"content": "x", "attachments": []}))[1:], 0.9),
        (lines_of(("assistant.message", {"messageId": "m", "content": "x", "toolRequests": []}))[1:], 0.9),
        (lines_of(("session.resume", {"eventCount": 7}))[1:], 0.9),
    ],
)
def test_a_session_is_told_by_its_events(lines: list[Line], confidence: float):
    assert READER.recognise({"file": "events.jsonl", "lines": lines}).confidence == confidence
    assert any(map(is_session_line, lines)) == (confidence > 0)


def test_a_value_without_lines_is_rejected_and_damaged_lines_are_kept():
    assert isinstance(READER.read({"lines": 7}, "x"), RejectedRecord)
    record = READER.read({"file": "f", "lines": [*lines_of(), 7, {"type": "user.message", "data": "x"}]}, "x")
    assert isinstance(record, DialogueRecord)
    assert record.warnings == {"malformed_message": 2}
    assert record.source_json["lines"]["2"] == 7


def test_a_session_of_an_early_version_is_left_out_with_what_to_do(tmp_path: Path):
    path = tmp_path / "history-session-state" / "session_0c3c1c7a-0000-4000-8000-000000000001_1760000000000.json"
    path.parent.mkdir()
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    path.write_text(json.dumps({"sessionId": "s", "chatMessages": messages, "timeline": []}))
    reading = read_paths([tmp_path])
    assert [item for file in reading for item in file.records()] == []
    [skipped] = reading.skipped
    assert skipped.may_hold_conversations
    assert "copilot --resume" in skipped.reason


def test_an_id_is_there_once_and_work_is_linear():
    for seed in range(60):
        record = READER.read(copilot_cli.conversation(Random(seed), Marks()), "x")  # noqa: S311 - a test's
        assert isinstance(record, DialogueRecord)
        ids = [m.source_id for m in record.messages]
        assert len(ids) == len(set(ids))

    def read_many(count: int) -> None:
        chunks = [("assistant.message", {"apiCallId": f"a{number // 2}", "content": "x"}) for number in range(count)]
        read(*chunks)

    assert growth(read_many, 50) < 5
