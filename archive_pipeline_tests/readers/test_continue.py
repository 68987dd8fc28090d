"""Continue's sessions: what its extensions and its program write."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, PartType, RejectedRecord
from archive_pipeline.readers.continue_dev import READER
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.goose_sessions import dialogues
from archive_pipeline_tests.readers.said import parts, said

TEXT, CONTEXT, THINKING = PartType.TEXT, PartType.CONTEXT, PartType.THINKING
USE, RESULT, IMAGE = PartType.TOOL_USE, PartType.TOOL_RESULT, PartType.IMAGE
OWN = "0f1e8d0a-3e9d-41d4-ab68-872b8ebf8b8e"
START = 1_770_112_800_000  # 2026-02-03, 10:00


def item(role: str, content: Any, message: dict[str, Any] | None = None, **beside: Any) -> dict[str, Any]:
    return {"message": {"role": role, "content": content, **(message or {})}, "contextItems": [], **beside}


def call(name: str, tool: str, arguments: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": arguments}}


def state(of: dict[str, Any], status: str, *output: str, **more: Any) -> dict[str, Any]:
    items = [{"content": text, "name": "Tool Result", "description": "Tool execution result"} for text in output]
    parsed = json.loads(of["function"]["arguments"])
    about = {"toolCallId": of["id"], "toolCall": of, "status": status, "parsedArgs": parsed}
    return {**about, **({"output": items} if items else {}), **more}


READ = call("c1", "read_file", '{"filepath":"a.py"}')


def session(*history: Any, **about: Any) -> dict[str, Any]:
    own = {"sessionId": OWN, "title": "Rain", "workspaceDirectory": "/w", "history": list(history)}
    return {**own, **about}


def read(*history: Any, **about: Any) -> DialogueRecord:
    value = session(*history, **about)
    assert recognise(value).source == "continue"
    record = READER.read(value, "x")
    assert isinstance(record, DialogueRecord)
    return record


def test_a_session_of_the_program_has_results_in_the_states_of_calls():
    usage = {"model": "gpt-5", "prompt_tokens": 7}
    record = read(
        item("user", "Is it wet?", editorState="Is it wet?"),
        item("assistant", "", {"toolCalls": [READ], "usage": usage}, toolCallStates=[state(READ, "done", "rain")]),
        item("assistant", "Yes.", {"usage": usage}),
        usage={"totalCost": 0.5},
    )
    about = (record.source, record.source_id, record.title, record.project_id, record.is_linear_source)
    assert about == ("continue", OWN, "Rain", "/w", True)
    assert record.warnings == {}
    assert said(record) == [
        ("user", [(TEXT, "Is it wet?")]),
        ("assistant", [(USE, None)]),
        ("tool", [(RESULT, "rain")]),
        ("assistant", [(TEXT, "Yes.")]),
    ]
    assert [each.model for each in record.messages] == [None, "gpt-5", None, "gpt-5"]
    assert [each.source_id for each in record.messages] == [None] * 4
    use, answer = record.messages[1].parts[0], record.messages[2].parts[0]
    assert (use.tool_name, use.tool_use_id, use.tool_input.text) == ("read_file", "c1", '{"filepath":"a.py"}')
    assert use.source == {"state": {"status": "done"}}  # the rest of it repeats the call
    assert (answer.tool_name, answer.tool_use_id, answer.is_error) == ("read_file", "c1", False)
    assert answer.source == {"output": [{"name": "Tool Result", "description": "Tool execution result"}]}
    assert record.messages[0].source is None
    assert record.source_json == {"sessionId": OWN, "workspaceDirectory": "/w", "usage": {"totalCost": 0.5}}


def test_a_session_of_an_extension_has_results_as_messages_once():
    output = {"content": "rain", "name": "a.py", "description": "", "id": {"providerTitle": "t", "itemId": "i"}}
    record = read(
        item("user", "Is it wet?", {"id": "m1"}, editorState={"type": "doc"}),
        item("assistant", "I look.", {"id": "m2", "toolCalls": [READ]}, toolCallStates=[state(READ, "done", "rain")]),
        {**item("tool", "rain", {"id": "m3", "toolCallId": "c1"}), "contextItems": [output]},
        item("assistant", "Yes.", {"id": "m4"}, promptLogs=[{"modelTitle": "GPT", "prompt": "p", "completion": "c"}]),
        mode="agent",
        chatModelTitle="GPT",
    )
    assert said(record) == [
        ("user", [(TEXT, "Is it wet?")]),
        ("assistant", [(TEXT, "I look."), (USE, None)]),
        ("tool", [(RESULT, "rain")]),
        ("assistant", [(TEXT, "Yes.")]),
    ]
    assert [each.source_id for each in record.messages] == ["m1", "m2", "m3", "m4"]
    assert [each.model for each in record.messages] == [None, "GPT", None, "GPT"]
    assert record.messages[2].parts[0].tool_name == "read_file"
    kept = {name: value for name, value in output.items() if name not in ("content", "description")}
    assert record.messages[2].source == {"contextItems": [kept]}
    assert record.messages[1].parts[1].source["state"]["output"] == [
        {"name": "Tool Result", "description": "Tool execution result"}
    ]
    assert record.messages[0].source == {"editorState": {"type": "doc"}}


def test_calls_of_earlier_versions_and_those_without_results():
    denied = state(call("c2", "bash", "{}"), "canceled")
    record = read(
        item("assistant", "", {"toolCalls": [READ]}, toolCallState=state(READ, "errored", "no file")),
        item("assistant", "", toolCallStates=[denied]),
    )
    assert said(record) == [
        ("assistant", [(USE, None)]),
        ("tool", [(RESULT, "no file")]),
        ("assistant", [(USE, None)]),
    ]
    assert record.messages[1].parts[0].is_error is True
    last = record.messages[2].parts[0]
    assert (last.tool_name, last.tool_use_id, last.source["state"]["status"]) == ("bash", "c2", "canceled")


def test_thoughts_stand_before_an_answer_and_say_when_it_began():
    reasoning = {"active": False, "text": "Hm.", "startAt": START, "endAt": START + 2_000}
    record = read(
        item("thinking", "Well.", {"signature": "s", "redactedThinking": ""}),
        item("assistant", "Yes.", reasoning=reasoning),
    )
    assert said(record) == [("assistant", [(THINKING, "Well.")]), ("assistant", [(THINKING, "Hm."), (TEXT, "Yes.")])]
    assert record.messages[0].source == {"message": {"role": "thinking", "signature": "s"}}
    assert record.messages[1].created_at == record.created_at == datetime(2026, 2, 3, 10, tzinfo=UTC)
    # A session that goes on without thoughts would else be taken for an older one.
    assert record.updated_at is None


def test_pictures_and_what_came_with_a_prompt():
    file = {
        "content": "code",
        "name": "a.py",
        "description": "src/a.py",
        "uri": {"type": "file", "value": "file:///a.py"},
    }
    selection = {"content": "lines", "name": "a.py (1-2)", "id": {"providerTitle": "code", "itemId": "i"}}
    content = [
        {"type": "text", "text": "Look."},
        {"type": "imageUrl", "imageUrl": {"url": "data:image/png;base64,aGk="}},
        {"type": "imageUrl", "imageUrl": {"url": "https://x/a.png"}},
    ]
    [record] = read({**item("user", content, editorState=content), "contextItems": [file, selection]}).messages
    assert parts(record) == [(TEXT, "Look."), (IMAGE, None), (IMAGE, None), (CONTEXT, "lines")]
    assert record.parts[1].content_sha256 == hashlib.sha256(b"hi").hexdigest()
    assert record.parts[2].source["imageUrl"]["url"] == "https://x/a.png"
    assert (record.parts[2].uri, record.parts[3].source_type) == ("https://x/a.png", "code")
    [attached] = record.attachments
    assert (attached.file_name, attached.uri, attached.extracted_text) == ("a.py", "file:///a.py", "code")
    assert attached.source == {"description": "src/a.py", "uri": {"type": "file"}}


def test_summaries_are_context():
    record = read(
        item("assistant", "[COMPACTED HISTORY]\nSo far.", {"id": "m1"}),
        item("assistant", "Yes.", {"id": "m2"}, conversationSummary="All."),
        item("system", "Be brief."),
    )
    assert said(record) == [
        ("system", [(CONTEXT, "[COMPACTED HISTORY]\nSo far.")]),
        ("assistant", [(TEXT, "Yes."), (CONTEXT, "All.")]),
        ("system", [(TEXT, "Be brief.")]),
    ]
    assert [each.is_hidden for each in record.messages] == [True, False, False]
    assert record.messages[0].source == {"message": {"role": "assistant"}}


def test_a_chosen_model_is_that_of_answers_unless_one_names_another():
    plain = item("assistant", "Yes.")
    assert read(plain, chatModelTitle="A").messages[0].model == "A"
    other = item("assistant", "No.", promptLogs=[["prompt", "completion"], {"modelTitle": "B"}])
    assert [each.model for each in read(plain, other, chatModelTitle="A").messages] == [None, "B"]


def test_what_is_unknown_or_says_nothing_is_kept():
    odd = {"type": "hologram", "text": "x"}
    empty = item("assistant", "", {"id": "m2"})
    record = read(
        item("robot", [odd, 7], {"id": "m1"}), empty, "loose", {"message": None}, item("user", "A", {"id": "m1"}), None
    )
    kinds = {"unknown_part:hologram": 1, "unknown_part:none": 1, "unknown_role": 1}
    assert record.warnings == kinds | {"malformed_message": 2, "duplicate_message": 1}
    assert [part.source for part in record.messages[0].parts] == [odd, 7]
    assert record.source_json["history"] == [empty, "loose", {"message": None}, item("user", "A", {"id": "m1"})]


def test_an_item_that_repeats_a_message_and_its_results_is_kept_once():
    answer = item("assistant", "", {"id": "m1", "toolCalls": [READ]}, toolCallStates=[state(READ, "done", "rain")])
    record = read(answer, answer)
    assert said(record) == [("assistant", [(USE, None)]), ("tool", [(RESULT, "rain")])]
    assert record.source_json["history"] == [answer]
    assert record.warnings == {"duplicate_message": 2}


@pytest.mark.parametrize("title", ["New Session", "Untitled Session", ""])
def test_a_session_that_was_not_named_has_no_title(title: str):
    assert read(item("user", "A"), title=title).title is None


@pytest.mark.parametrize(
    ("address", "folder"),
    [
        ("file:///home/me/my%20work", "/home/me/my work"),
        ("/w", "/w"),
        ("", None),
        ("vscode-remote://x/w", "vscode-remote://x/w"),
    ],
)
def test_the_working_folder_is_a_path(address: str, folder: str | None):
    record = read(item("user", "A"), workspaceDirectory=address)
    assert record.project_id == folder


def test_files_are_found_in_the_folder_and_its_index_is_a_companion(tmp_path: Path):
    folder = tmp_path / ".continue" / "sessions"
    folder.mkdir(parents=True)
    (folder / f"{OWN}.json").write_text(json.dumps(session(item("user", "A"), item("assistant", "B")), indent=2))
    (folder / "damaged.json").write_text(json.dumps(session(item("user", "C"), sessionId="s2"))[:-20])
    index = {"sessionId": OWN, "title": "Rain", "dateCreated": str(START), "workspaceDirectory": "/w"}
    (folder / "sessions.json").write_text(json.dumps([index]))
    assert [record.source_id for record in dialogues(folder)] == [OWN]
    reading = read_paths([folder])
    rejected = [found for file in reading for found in file.records() if isinstance(found, RejectedRecord)]
    assert rejected
    assert all("damaged.json" in found.locator for found in rejected)
    skipped = {Path(file.locator).name: file.reason for file in reading.skipped}
    assert skipped == {"sessions.json": "a companion of the export: list of sessions"}


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (session(item("user", "A")), 1.0),
        ({"history": [item("user", "A")]}, 1.0),
        (session(), 0.6),
        (session({"message": "x"}), 0.1),
        ({"history": [{"message": {"role": "user", "content": "A"}}]}, 0.0),
        ({"history": [{"role": "user", "content": "A"}]}, 0.0),
        ({"sessionId": OWN, "title": "Rain", "dateCreated": "1"}, 0.0),
    ],
)
def test_a_session_is_told_by_its_history(value: dict[str, Any], confidence: float):
    assert READER.recognise(value).confidence == confidence


def test_what_has_no_history_is_rejected():
    found = READER.read({"sessionId": OWN}, "x")
    assert isinstance(found, RejectedRecord)
    assert found.locator == "x"
