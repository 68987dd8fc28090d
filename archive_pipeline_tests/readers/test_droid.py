"""Droid's sessions: who follows whom, ids that are there twice, summaries in between, and whose words a message has."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.droid.dialogue import read_session
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import is_session_line, recognise

SESSION = "8534a502-106a-4227-a227-55fac3265fcd"
HEAD = {"type": "session_start", "id": SESSION, "title": "list the files", "owner": "me", "version": 2, "cwd": "/work"}
Line = dict[str, Any]


def said(name: str, parent: str | None, role: str, *content: Any, **more: Any) -> Line:
    """A message; without a parent it names none."""
    line = {"type": "message", "id": name, "timestamp": "2026-06-18T14:13:21.754Z"}
    line |= {"message": {"role": role, "content": list(content), **more}}
    return line if parent is None else line | {"parentId": parent}


def text(words: str) -> Line:
    return {"type": "text", "text": words}


def call(name: str) -> Line:
    return {"type": "tool_use", "id": name, "name": "LS", "input": {"directory_path": "/work"}}


def result(name: str, content: Any, *, is_error: bool = False) -> Line:
    return {"type": "tool_result", "tool_use_id": name, "is_error": is_error, "content": content}


def compaction(name: str, summary: str) -> Line:
    return {"type": "compaction_state", "id": name, "timestamp": "2026-06-18T14:14:00Z", "summaryText": summary}


def read(*lines: Any, head: Line | None = None) -> DialogueRecord:
    record = read_session({"file": "s.jsonl", "lines": [HEAD if head is None else head, *lines]}, "s.jsonl")
    assert isinstance(record, DialogueRecord)
    return record


def tree(record: DialogueRecord) -> list[tuple[str, str | None]]:
    return [(each.source_id, each.link.parent) for each in prepare(record, b"").messages]


def parts(record: DialogueRecord, place: int) -> list[tuple[str, str | None]]:
    return [(part.part_type.value, part.text) for part in record.messages[place].parts]


def test_a_session_is_read_whole():
    thought = {"type": "thinking", "thinking": "LS will do", "signature": "s", "durationMs": 7}
    picture = {"type": "image", "source": {"type": "base64", "data": "aGk=", "media_type": "image/png"}}
    todo = {"type": "todo_state", "id": "t", "timestamp": "2026-06-18T14:13:22Z", "todos": {"todos": "1. look"}}
    outcome = {"type": "agent_turn_outcome", "turnId": "u1", "reason": "completed"}
    record = read(
        said("context-u1", None, "user", text("<system-reminder>tools</system-reminder>"), visibility="llm_only"),
        said("u1", "context-u1", "user", text("<system-reminder>/a.png</system-reminder>"), text("list the files")),
        said("a1", "u1", "assistant", thought, call("c1"), call("c2"), modelId="glm-5.2", reasoningEffort="high"),
        todo,
        said("r1", "a1", "user", result("c1", "a.txt"), result("c2", [text("b.txt"), picture], is_error=True)),
        said("a2", "r1", "assistant", text("There are two."), modelId="glm-5.2"),
        outcome,
    )
    about = (record.source, record.source_id, record.title, record.project_id, record.parent_source_id)
    assert about == ("droid", SESSION, "list the files", "/work", None)
    assert record.created_at is not None
    assert record.updated_at is not None
    assert (record.created_at.second, record.updated_at.second) == (21, 22)
    assert tree(record) == [("context-u1", None), ("u1", "context-u1"), ("a1", "u1"), ("r1", "a1"), ("a2", "r1")]
    assert [(m.role, m.is_hidden, m.model) for m in record.messages] == [
        ("system", True, None),
        ("user", False, None),
        ("assistant", False, "glm-5.2"),
        ("tool", False, None),
        ("assistant", False, "glm-5.2"),
    ]
    assert parts(record, 0) == [("context", "<system-reminder>tools</system-reminder>")]
    assert parts(record, 1) == [("context", "<system-reminder>/a.png</system-reminder>"), ("text", "list the files")]
    assert parts(record, 2) == [("thinking", "LS will do"), ("tool_use", None), ("tool_use", None)]
    given = [(p.text, p.tool_name, p.tool_use_id, p.is_error) for p in record.messages[3].parts]
    assert given == [("a.txt", "LS", "c1", False), ("b.txt", "LS", "c2", True), (None, None, "c2", None)]
    image = record.messages[3].parts[2]
    digest = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"
    assert (image.part_type.value, image.mime_type, image.content_sha256) == ("image", "image/png", digest)
    assert record.messages[2].source["message"] == {"reasoningEffort": "high"}
    assert record.source_json["lines"] == {"1": HEAD, "5": todo, "8": outcome}
    assert not record.warnings


def test_an_id_that_two_lines_have_leads_to_the_latest_above():
    record = read(
        said("u1", None, "user", text("search")),
        said("a1", "u1", "assistant", call("c1")),
        said("r", "a1", "user", result("c1", "found")),
        said("a2", "r", "assistant", text("It is sunny."), call("c2")),
        said("r", "a2", "user", result("c2", "cancelled", is_error=True), visibility="user_only"),
        said("x", "r", "user", text("Request interrupted by user"), visibility="llm_only"),
        said("u2", "x", "user", text("shorter")),
    )
    again = str(uuid.uuid5(uuid.NAMESPACE_OID, "r 1"))
    assert tree(record) == [
        ("u1", None),
        ("a1", "u1"),
        ("r", "a1"),
        ("a2", "r"),
        (again, "a2"),
        ("x", again),
        ("u2", "x"),
    ]
    assert [(m.role, m.is_hidden) for m in record.messages[4:]] == [("tool", False), ("system", True), ("user", False)]
    assert record.messages[4].source["id"] == "r"
    assert not record.warnings


def test_going_back_begins_a_branch():
    record = read(
        said("u1", None, "user", text("one")),
        said("a1", "u1", "assistant", text("1")),
        said("u2", "a1", "user", text("two")),
        said("u3", "a1", "user", text("three")),
    )
    assert tree(record) == [("u1", None), ("a1", "u1"), ("u2", "a1"), ("u3", "a1")]
    assert record.active_source_id == "u3"


def test_a_summary_stands_between_what_it_separates():
    hook = said("h", "a1", "user", visibility="user_only", hookEventName="Stop", hookCommands=[])
    record = read(
        said("u1", None, "user", text("one")),
        said("a1", "u1", "assistant", text("1")),
        hook,
        {**compaction("k1", "So far."), "systemInfoText": "linux", "anchorMessage": {"id": "u1", "index": 0}},
        compaction("k2", "And further."),
        said("u2", "a1", "user", text("two")),
        said("a2", "u2", "assistant", text("2")),
    )
    assert tree(record) == [("u1", None), ("a1", "u1"), ("k1", "a1"), ("k2", "k1"), ("u2", "k2"), ("a2", "u2")]
    assert (record.messages[2].role, record.messages[2].is_hidden) == ("system", True)
    assert parts(record, 2) == [("context", "So far."), ("context", "linux")]
    assert record.source_json["lines"]["4"] == hook


def test_a_session_that_goes_on_from_a_summary_begins_with_it():
    record = read(
        compaction("k", "So far."),
        said("h", None, "user", visibility="user_only", hookEventName="SessionStart"),
        said("context-u", None, "user", text("<system-reminder>x</system-reminder>"), visibility="llm_only"),
        said("u", "context-u", "user", text("go on")),
        head={**HEAD, "parent": "a44ad01e-aa38-4c34-9e46-48c5b5ed649a"},
    )
    assert tree(record) == [("k", None), ("context-u", "k"), ("u", "context-u")]
    assert record.parent_source_id is None
    assert record.source_json["lines"]["1"]["parent"] == "a44ad01e-aa38-4c34-9e46-48c5b5ed649a"


def test_words_behind_results_are_a_message_of_their_own_and_reminders_are_not():
    reminder = text("<system-reminder>TodoWrite</system-reminder>")
    record = read(
        said("a", None, "assistant", call("c")),
        said("r", "a", "user", result("c", "x"), text("stop"), reminder),
        said("a2", "r", "assistant", call("d")),
        said("r2", "a2", "user", result("d", "y"), reminder),
        compaction("k", "So far."),
        said("u", "r2", "user", text("go")),
    )
    links = [("a", None), ("r", "a"), ("r-text", "r"), ("a2", "r-text"), ("r2", "a2"), ("k", "r2"), ("u", "k")]
    assert tree(record) == links
    assert [parts(record, place) for place in (1, 2, 4)] == [
        [("tool_result", "x")],
        [("text", "stop"), ("context", "<system-reminder>TodoWrite</system-reminder>")],
        [("tool_result", "y"), ("context", "<system-reminder>TodoWrite</system-reminder>")],
    ]
    assert [record.messages[place].role for place in (1, 2, 4)] == ["tool", "user", "tool"]


def test_thoughts_are_read_once():
    thought = {"type": "thinking", "thinking": "hm"}
    again = {"chatCompletionReasoningField": "reasoning_content", "chatCompletionReasoningContent": "hm"}
    record = read(
        said("a1", None, "assistant", thought, text("1"), **again),
        said("a2", "a1", "assistant", text("2"), **again),
        said("a3", "a2", "assistant", openaiReasoningSummary="well"),
        said("a4", "a3", "assistant", text("429"), isError=True),
        said("a5", "a4", "assistant"),
    )
    assert [parts(record, place) for place in range(4)] == [
        [("thinking", "hm"), ("text", "1")],
        [("thinking", "hm"), ("text", "2")],
        [("thinking", "well")],
        [("error", "429")],
    ]
    assert [message.state for message in record.messages] == ["complete", "complete", "complete", "error"]
    assert record.message_less_nodes == {"a5": "a4"}


def test_what_a_hook_says_and_what_is_for_the_model_alone_is_not_the_users():
    record = read(
        said("1", None, "user", text("blocked"), hookEventName="PreToolUse"),
        said("2", "1", "user", text("quiet"), isUserVisible=False),
        said("3", "2", "system", text("rules")),
        said("4", "3", "robot", text("beep")),
        said("5", "4", "user", text("mine"), visibility="both"),
    )
    assert [(m.role, m.is_hidden) for m in record.messages] == [("system", True)] * 4 + [("user", False)]
    assert record.warnings == {"unknown_role": 1}


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ({"title": "first prompt", "sessionTitle": "Model's"}, "Model's"),
        ({"title": "Mine", "sessionTitle": "Model's", "isSessionTitleManuallySet": True}, "Mine"),
        ({"title": "first prompt"}, "first prompt"),
        ({"title": "New Session"}, None),
        ({"title": "", "sessionTitle": None}, None),
    ],
)
def test_a_title_is_the_users_before_the_models(head: Line, title: str | None):
    assert read(head={**HEAD, **head}).title == title


def test_a_session_of_a_subagent_names_the_one_that_started_it():
    assert read(head={**HEAD, "callingSessionId": "p", "callingToolUseId": "c"}).parent_source_id == "p"


def test_a_session_without_its_first_line_is_named_by_its_file():
    lines = [said("a", None, "assistant", text("1"), modelId="m")]
    names = [read_session({"file": f"{name}.jsonl", "lines": lines}, "x") for name in (SESSION, "session")]
    assert [record.source_id for record in names if isinstance(record, DialogueRecord)] == [SESSION, None]
    assert isinstance(read_session({"file": "x"}, "x"), RejectedRecord)


@pytest.mark.parametrize(
    ("lines", "confidence"),
    [
        ([HEAD, said("u", None, "user", text("one"))], 1.0),
        ([HEAD, compaction("k", "S")], 1.0),
        ([HEAD], 0.6),
        ([said("a", None, "assistant", text("1"), modelId="m")], 0.9),
        ([compaction("k", "S")], 0.9),
        ([said("u", None, "user", text("one"))], 0.0),
        ([{"type": "session_start", "id": "s", "title": "t"}], 0.0),
        ([{"type": ["message"], "id": 1, "message": 3}], 0.0),
    ],
)
def test_a_session_is_told_by_its_first_line_and_its_messages(lines: list[Line], confidence: float):
    verdict = recognise({"file": "s.jsonl", "lines": lines})
    assert (verdict.source, verdict.evidence.confidence) == ("droid" if confidence else None, confidence)
    assert is_session_line(lines[0]) is bool(confidence)


def test_a_folder_of_sessions_is_read_and_their_settings_are_companions(tmp_path: Path):
    folder = tmp_path / "-work"
    folder.mkdir()
    lines = [HEAD, said("u", None, "user", text("one")), said("a", "u", "assistant", text("1"))]
    (folder / f"{SESSION}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / f"{SESSION}.settings.json").write_text(json.dumps({"model": "m", "tokenUsage": {"inputTokens": 1}}))
    reading = read_paths([tmp_path])
    [item] = [item for file in reading for item in file.records()]
    assert isinstance(item, ReadDialogue)
    assert (item.record.source, len(item.record.messages)) == ("droid", 2)
    assert [skipped.kind for skipped in reading.skipped] == ["settings"]


NAMES = st.sampled_from(["1", "2", "3", "4", None])
MESSAGES = st.builds(
    lambda name, parent, role, content, seen: said(name, parent, role, *content, visibility=seen),
    st.sampled_from(["1", "2", "3", "4"]),
    NAMES,
    st.sampled_from(["user", "assistant"]),
    st.lists(st.sampled_from([text("x"), call("c"), result("c", "y")]), max_size=2),
    st.sampled_from(["both", "llm_only"]),
)
COMPACTIONS = st.builds(
    lambda name, parent: compaction(name, "s") | ({} if parent is None else {"parentId": parent}), NAMES, NAMES
)


@given(st.lists(st.one_of(MESSAGES, COMPACTIONS), max_size=12))
def test_whatever_the_ids_are_each_message_has_its_own_and_keeps_it_when_the_file_grows(lines: list[Line]):
    record = read(*lines)
    ids = [message.source_id for message in record.messages]
    assert len({*ids}) == len(ids)
    assert not {*ids} & record.message_less_nodes.keys()
    for size in range(len(lines)):
        begun = read(*lines[:size])
        links = [(message.source_id, message.parent_source_id) for message in record.messages]
        assert [(m.source_id, m.parent_source_id) for m in begun.messages] == links[: len(begun.messages)]
