"""Sessions of Qwen Code: who follows whom, whose words a line has, what tools gave back, and what is told of files."""

from __future__ import annotations

from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.qwen_code.dialogue import read_session
from archive_pipeline.readers.registry import is_session_line, recognise

SESSION = "6e2b0203-8900-4882-9490-be40ff87d010"
Line = dict[str, Any]


def line(name: str, parent: str | None, kind: str, **more: Any) -> Line:
    """A line with what all lines have."""
    return {
        "uuid": name,
        "parentUuid": parent,
        "sessionId": SESSION,
        "timestamp": "2026-07-29T14:22:00.410Z",
        "type": kind,
        "cwd": "/work",
        "version": "0.25.0",
        "gitBranch": "main",
        **more,
    }


def said(name: str, parent: str | None, kind: str, *parts: Any, **more: Any) -> Line:
    role = "model" if kind == "assistant" else "user"
    return line(name, parent, kind, message={"role": role, "parts": list(parts)}, **more)


def event(name: str, parent: str | None, subtype: str, **payload: Any) -> Line:
    return line(name, parent, "system", subtype=subtype, systemPayload=payload)


def text(words: str) -> Line:
    return {"text": words}


def read(*lines: Any, file: str = f"{SESSION}.jsonl") -> DialogueRecord:
    record = read_session({"file": file, "lines": list(lines)}, file)
    assert isinstance(record, DialogueRecord)
    return record


def tree(record: DialogueRecord) -> list[tuple[str, str | None]]:
    return [(each.source_id, each.link.parent) for each in prepare(record, b"").messages]


def parts(record: DialogueRecord, place: int) -> list[tuple[str, str | None]]:
    return [(part.part_type.value, part.text) for part in record.messages[place].parts]


def roles(record: DialogueRecord) -> list[tuple[str, bool]]:
    return [(message.role, message.is_hidden) for message in record.messages]


def test_a_session_is_read_whole():
    call = {"functionCall": {"id": "c1", "name": "read_file", "args": {"file_path": "/work/a.png"}}}
    picture = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    result = {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "ok"}, "parts": [picture]}}
    telemetry = event("t1", "u1", "ui_telemetry", uiEvent={"event.name": "qwen-code.api_response"})
    title = event("n1", "a2", "custom_title", customTitle="A picture", titleSource="auto")
    record = read(
        said("u1", None, "user", text("What is on it?"), provenance="real_user"),
        telemetry,
        said(
            "a1", "t1", "assistant", {"text": "I look.", "thought": True}, text("Reading."), call, model="qwen3-coder"
        ),
        said("r1", "a1", "tool_result", result, toolCallResult={"callId": "c1", "status": "success"}),
        said("a2", "r1", "assistant", text("A cat."), model="qwen3-coder", usageMetadata={"totalTokenCount": 9}),
        title | {"timestamp": "2026-07-29T14:23:00.410Z"},
    )
    about = (record.source, record.source_id, record.title, record.project_id, record.parent_source_id)
    assert about == ("qwen_code", SESSION, "A picture", "/work", None)
    assert [str(moment) for moment in (record.created_at, record.updated_at)] == [
        "2026-07-29 14:22:00.410000+00:00",
        "2026-07-29 14:23:00.410000+00:00",
    ]
    assert tree(record) == [("u1", None), ("a1", "u1"), ("r1", "a1"), ("a2", "r1")]
    assert roles(record) == [("user", False), ("assistant", False), ("tool", False), ("assistant", False)]
    assert [message.model for message in record.messages] == [None, "qwen3-coder", None, "qwen3-coder"]
    assert parts(record, 1) == [("thinking", "I look."), ("text", "Reading."), ("tool_use", None)]
    given = [(p.part_type.value, p.text, p.tool_use_id, p.is_error) for p in record.messages[2].parts]
    assert given == [("tool_result", "ok", "c1", False), ("image", None, "c1", None)]
    digest = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"
    assert record.messages[2].parts[1].content_sha256 == digest
    assert record.messages[3].source == {
        "timestamp": "2026-07-29T14:22:00.410Z",
        "message": {"role": "model"},
        "usageMetadata": {"totalTokenCount": 9},
    }
    assert record.source_json["common"] == {
        "cwd": "/work",
        "gitBranch": "main",
        "sessionId": SESSION,
        "version": "0.25.0",
    }
    assert record.source_json["lines"] == {"2": telemetry, "6": record.source_json["lines"]["6"]}
    assert not record.warnings


def test_going_back_begins_a_branch_and_a_lost_line_does_not():
    record = read(
        said("u1", None, "user", text("one")),
        said("a1", "u1", "assistant", text("1")),
        said("u2", "a1", "user", text("two")),
        event("w", "a1", "rewind", truncatedCount=1),
        said("u3", "w", "user", text("three")),
        {"unreadable_line": '{"uuid": "a3"'},
        said("u4", "a3", "user", text("four")),
        event("w2", "gone", "rewind", truncatedCount=4),
        said("u5", "w2", "user", text("five")),
    )
    assert tree(record) == [("u1", None), ("a1", "u1"), ("u2", "a1"), ("u3", "a1"), ("u4", "u3"), ("u5", None)]
    assert record.active_source_id == "u5"
    assert record.warnings == {"malformed_message": 1, "relinked_parent": 1}


@pytest.mark.parametrize(
    ("more", "given", "expected"),
    [
        (
            {},
            ["Look at @a.txt", "\n--- Content from referenced files ---", "Content from @a.txt:\n", "hi"],
            [
                ("text", "Look at @a.txt"),
                ("context", "\n--- Content from referenced files ---"),
                ("context", "Content from @a.txt:\n"),
                ("context", "hi"),
            ],
        ),
        (
            {"systemPayload": {"displayText": "Look", "hookContext": "x"}},
            ["Look", "<qwen:user-prompt-submit-context>\nx\n</qwen:user-prompt-submit-context>"],
            [("text", "Look"), ("context", "<qwen:user-prompt-submit-context>\nx\n</qwen:user-prompt-submit-context>")],
        ),
        (
            {"systemPayload": {"displayText": "/review", "hookContext": ""}},
            ["Review the changes."],
            [("text", "/review"), ("context", "Review the changes.")],
        ),
        (
            {"subtype": "mid_turn_user_message", "systemPayload": {"displayText": "save logs"}},
            ["\n[User message received during tool execution]: save logs"],
            [("text", "save logs"), ("context", "\n[User message received during tool execution]: save logs")],
        ),
        (
            {},
            ["Why?\n<system-reminder>plan mode</system-reminder>"],
            [("text", "Why?"), ("context", "<system-reminder>plan mode</system-reminder>")],
        ),
    ],
)
def test_what_is_put_into_a_prompt_is_context(more: Line, given: list[str], expected: list[tuple[str, str]]):
    record = read(said("u1", None, "user", *map(text, given), **more))
    assert parts(record, 0) == expected
    assert roles(record) == [("user", False)]
    assert not record.warnings


@pytest.mark.parametrize(
    ("more", "role"),
    [
        ({"subtype": "notification"}, "system"),
        ({"subtype": "cron", "provenance": "system"}, "system"),
        ({"subtype": "agent_mention", "provenance": "external_agent"}, "system"),
        ({"subtype": "agent_mention", "provenance": "real_user"}, "user"),
        ({"externalInputKind": "notification"}, "system"),
        ({"externalInputKind": "message"}, "user"),
        ({"subtype": "realtime_message"}, "user"),
    ],
)
def test_what_the_program_says_in_the_users_name_is_hidden(more: Line, role: str):
    record = read(said("u1", None, "user", text("The build failed."), **more))
    assert roles(record) == [(role, role == "system")]
    assert parts(record, 0) == [("context" if role == "system" else "text", "The build failed.")]
    assert not record.warnings


def test_a_summary_stands_between_and_what_it_repeats_is_no_message():
    tail = {"role": "user", "parts": [text("two")]}
    answer = {"role": "model", "parts": [text("Got it. Thanks for the additional context!")]}
    history = [{"role": "user", "parts": [text("<state_snapshot>all</state_snapshot>")]}, answer, tail]
    record = read(
        said("u1", None, "user", text("one")),
        event("k", "u1", "chat_compression", info={"newTokenCount": 5}, compressedHistory=history),
        event("f", "k", "chat_compression", info={"newTokenCount": 4}, compressedHistory=[tail]),
        said("u2", "f", "user", text("two")),
    )
    assert tree(record) == [("u1", None), ("k", "u1"), ("u2", "k")]
    assert roles(record)[1] == ("system", True)
    assert parts(record, 1) == [("context", "<state_snapshot>all</state_snapshot>")]
    assert record.messages[1].source["systemPayload"] == {
        "info": {"newTokenCount": 5},
        "compressedHistory": [{"role": "user"}, answer, tail],
    }


def test_slash_commands_are_context_and_unknown_lines_are_kept_and_counted():
    unknown = event("x", "c2", "hologram", depth=1)
    record = read(
        event("c1", None, "slash_command", phase="invocation", rawCommand="/about"),
        event("c2", "c1", "slash_command", phase="result", rawCommand="/about", outputHistoryItems=[{"text": "0.25"}]),
        unknown,
        line("y", "x", "hologram"),
        line("z", "y", "user"),
        line("a", "z", "assistant", model="qwen3-coder", usageMetadata={"totalTokenCount": 1}),
        said("b", "a", "assistant", text("Yes."), subtype="aside"),
    )
    assert [parts(record, place) for place in range(3)] == [
        [("context", "/about")],
        [("context", "0.25")],
        [("text", "Yes.")],
    ]
    assert tree(record) == [("c1", None), ("c2", "c1"), ("b", "c2")]
    assert record.source_json["lines"]["3"] == unknown
    assert record.warnings == {"unknown_line:hologram": 2, "unknown_line:aside": 1, "malformed_message": 1}


def test_a_result_that_failed_and_files_that_came_with_a_prompt():
    failed = {"functionResponse": {"id": "c1", "name": "edit", "response": {"output": "denied"}}}
    picture = {"type": "image", "attachmentId": "p.png", "mimeType": "image/png", "size": 3}
    link = {"type": "resource_link", "name": "b.txt", "uri": "file:///b.txt"}
    payload = {"displayText": "Edit it", "hookContext": "", "attachmentReferences": [picture], "resourceLinks": [link]}
    document = {"fileData": {"fileUri": "gs://b/c.pdf", "mimeType": "application/pdf"}}
    record = read(
        said("u1", None, "user", text("Edit it"), document, systemPayload=payload),
        said("r1", "u1", "tool_result", failed, toolCallResult={"callId": "c1", "status": "cancelled"}),
    )
    files = [(f.source_id, f.file_name, f.mime_type, f.size_bytes, f.uri) for f in record.messages[0].attachments]
    assert files == [("p.png", None, "image/png", 3, None), (None, "b.txt", None, None, "file:///b.txt")]
    assert [(p.part_type.value, p.uri) for p in record.messages[0].parts] == [("text", None), ("file", "gs://b/c.pdf")]
    assert [(p.text, p.is_error) for p in record.messages[1].parts] == [("denied", True)]


def test_a_subagent_is_a_dialogue_of_its_own_and_a_fork_began_when_it_was_made():
    side = {"agentId": "explore-7f3c", "agentName": "Explore", "isSidechain": True}
    lines = [
        event("b", None, "agent_bootstrap", kind="fork", history=[], systemInstruction="Be brief."),
        said("u1", "b", "user", text("Find it.")),
        event("p", "u1", "agent_launch_prompt", displayText="Begin."),
        said("a1", "p", "assistant", text("Found.")),
    ]
    record = read(*(each | side for each in lines), file="agent-explore-7f3c.jsonl")
    assert (record.source_id, record.parent_source_id) == (f"{SESSION}-agent-explore-7f3c", SESSION)
    assert roles(record) == [("system", True), ("user", False), ("system", True), ("assistant", False)]
    assert [parts(record, place)[0][1] for place in range(3)] == ["Be brief.", "Find it.", "Begin."]
    fork = read(
        said("u1", None, "user", text("Find it."), forkedFrom={"sessionId": "other", "messageUuid": "u1"}),
        event("s", "u1", "parent_session", parentSessionId="other") | {"timestamp": "2026-07-30T00:00:00Z"},
    )
    assert (fork.parent_source_id, str(fork.created_at)) == ("other", "2026-07-30 00:00:00+00:00")


def test_the_first_form_had_no_system_lines_and_other_names_of_tokens():
    record = read(
        said("u1", None, "user", text("Hi")),
        said("a1", "u1", "assistant", text("Hello"), model="qwen3", usageMetadata={"input": 1, "output": 2}),
        file="chat.jsonl",
    )
    assert (record.source_id, tree(record)) == (SESSION, [("u1", None), ("a1", "u1")])
    assert not record.warnings


SIDE = {"agentId": "a", "isSidechain": True}


@pytest.mark.parametrize(
    ("lines", "source", "confidence"),
    [
        ([said("u1", None, "user", text("Hi"))], "qwen_code", 1.0),
        ([said("u1", None, "user", text("Hi")) | SIDE], "qwen_code", 1.0),
        ([event("t", None, "ui_telemetry", uiEvent={}) | SIDE], "qwen_code", 0.6),
        ([line("u1", None, "user", message={"role": "user", "content": "Hi"}) | SIDE], "claude_code", 1.0),
        ([line("u1", None, "user", message={"role": "user", "content": "Hi"})], None, 0.0),
    ],
)
def test_lines_are_told_from_those_of_claude_code(lines: list[Line], source: str | None, confidence: float):
    verdict = recognise({"file": "s.jsonl", "lines": lines})
    assert (verdict.source, verdict.evidence.confidence) == (source, confidence)
    assert is_session_line(lines[0]) == (source is not None)


def test_a_value_without_lines_is_rejected():
    assert isinstance(read_session({"lines": "x"}, "s.jsonl"), RejectedRecord)
