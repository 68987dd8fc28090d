"""Crush's sessions: rows of its database, in the schema of every version."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.crush import READER
from archive_pipeline.readers.reading import read_paths
from archive_pipeline_tests.readers.crush_sessions import (
    CONTEXT,
    EARLY,
    ERROR,
    IMAGE,
    LATER,
    OWN,
    RESULT,
    SAID,
    SESSION,
    START,
    TEXT,
    THINKING,
    USE,
    call,
    finish,
    message,
    part,
    result,
    rows,
    stored,
    text,
)
from archive_pipeline_tests.readers.goose_sessions import dialogues
from archive_pipeline_tests.readers.llm_databases import write_database
from archive_pipeline_tests.readers.said import parts, said


@pytest.mark.parametrize("schema", [EARLY, EARLY + LATER])
def test_a_session_is_read_from_the_database_of_every_version(tmp_path: Path, schema: str):
    file = {"id": "f", "session_id": OWN, "path": "/w/a", "content": "wet", "created_at": START, "updated_at": START}
    # Rows of one second are as they were written, whatever their ids.
    late = [{**stored(row), "created_at": START + 1} for row in SAID]
    tables = {"sessions": [SESSION], "messages": late, "files": [file]}
    write_database(tmp_path / "crush.db", tables, schema)
    [record] = dialogues(tmp_path / "crush.db")
    about = (record.source, record.source_id, record.title, record.project_id, record.parent_source_id)
    assert about == ("crush", OWN, "Rain", "/w", None)
    assert record.created_at == datetime(2026, 2, 3, 10, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 2, 3, 10, 5, tzinfo=UTC)
    assert record.is_linear_source
    assert record.warnings == {}
    assert said(record) == [
        ("user", [(TEXT, "Is it wet?")]),
        ("assistant", [(USE, None)]),
        ("tool", [(RESULT, "rain")]),
        ("assistant", [(TEXT, "Yes.")]),
    ]
    assert [item.model for item in record.messages] == [None, "m", None, "m"]
    assert {item.state for item in record.messages} == {"complete"}
    use, answer = record.messages[1].parts[0], record.messages[2].parts[0]
    assert (use.tool_name, use.tool_use_id, use.tool_input.text) == ("bash", "c1", '{"command":"look"}')
    assert (answer.tool_name, answer.tool_use_id, answer.is_error) == ("bash", "c1", False)
    assert record.source_json["tables"]["files"][0]["content"] == "wet"
    assert record.source_json["tables"]["sessions"][0]["prompt_tokens"] == 7


def test_messages_are_ordered_by_their_seconds():
    assert [item.source_id for item in rows(*reversed(SAID)).messages] == [row["id"] for row in SAID]


def test_thoughts_and_what_a_provider_wants_back_are_kept():
    thought = part("reasoning", thinking="Hm.", signature="sig", started_at=START, finished_at=START + 2)
    [record] = rows(message(1, "assistant", thought, text("Yes."), finish("end_turn"))).messages
    assert parts(record) == [(THINKING, "Hm."), (TEXT, "Yes.")]
    assert record.parts[0].source == {"data": {"signature": "sig", "started_at": START, "finished_at": START + 2}}


def test_files_that_came_with_a_prompt_are_attachments_and_pictures_are_parts():
    note = part("binary", Path="/w/notes.txt", MIMEType="text/plain", Data="aGk=")
    picture = part("binary", Path="a.png", MIMEType="image/png", Data="aGk=")
    address = part("image_url", url="https://x/a.png", detail="low")
    [record] = rows(message(1, "user", text("Look."), note, picture, address, finish("stop"))).messages
    digest = hashlib.sha256(b"hi").hexdigest()
    [file] = record.attachments
    assert (file.file_name, file.uri, file.size_bytes, file.extracted_text) == ("notes.txt", "/w/notes.txt", 2, "hi")
    assert (file.mime_type, file.content_sha256) == ("text/plain", digest)
    assert parts(record) == [(TEXT, "Look."), (IMAGE, None), (IMAGE, None)]
    assert (record.parts[1].uri, record.parts[1].content_sha256) == ("a.png", digest)
    assert (record.parts[2].uri, record.parts[2].source) == ("https://x/a.png", {"data": {"detail": "low"}})


def test_a_result_has_its_picture_beside_it():
    shot = result("c1", "", "Loaded", data="aGk=", mime_type="image/png", is_error=True)
    record = rows(message(1, "assistant", call("c1", "screenshot", "")), message(2, "tool", shot))
    assert said(record) == [("assistant", [(USE, None)]), ("tool", [(RESULT, "Loaded"), (IMAGE, None)])]
    answer, picture = record.messages[1].parts
    assert (answer.tool_name, answer.is_error, picture.mime_type) == ("screenshot", True, "image/png")
    assert picture.content_sha256 == hashlib.sha256(b"hi").hexdigest()
    assert rows(message(1, "tool", result("c9", "bash", "x"))).warnings == {"unpaired_tool_result": 1}


@pytest.mark.parametrize(
    ("end", "state", "errors"),
    [
        ([], "in_progress", []),
        ([finish("end_turn")], "complete", []),
        ([finish("canceled", message="User canceled request")], "aborted", []),
        ([finish("max_tokens")], "aborted", []),
        ([finish("error", message="Provider Error", details="Overloaded")], "error", ["Provider Error\n\nOverloaded"]),
        ([finish("content_filter", message="Refused")], "error", ["Refused"]),
    ],
)
def test_how_an_answer_ended_is_its_state(end: list[Any], state: str, errors: list[str]):
    [record] = rows(message(1, "assistant", text("So"), *end)).messages
    assert record.state == state
    assert [said for kind, said in parts(record) if kind is ERROR] == errors


def test_summaries_commands_and_words_of_crush_are_context():
    request = "The previous session was interrupted because it got too long, the initial user request was: `Dig`"
    marked = message(2, "assistant", text("So far."), finish("end_turn"), is_summary_message=1)
    command = part("shell_command", command="ls", output="a b", exit_code=0)
    record = rows(
        message(1, "user", text("Dig")),
        marked,
        message(3, "user", text(request)),
        message(4, "user", command, finish("stop")),
        message(5, "user", text("Go on.", hidden=True)),
    )
    assert said(record) == [
        ("user", [(TEXT, "Dig")]),
        ("system", [(CONTEXT, "So far.")]),
        ("system", [(CONTEXT, request)]),
        ("system", [(CONTEXT, "ls"), (CONTEXT, "a b")]),
        ("system", [(CONTEXT, "Go on.")]),
    ]
    assert [item.is_hidden for item in record.messages] == [False, True, True, True, True]
    assert record.messages[3].source["role"] == "user"
    thought = part("reasoning", thinking="Hm.", signature="")
    [summary] = rows({**marked, "parts": [thought, *marked["parts"]]}).messages
    assert (summary.role, summary.is_hidden) == ("system", True)
    assert parts(summary) == [(THINKING, "Hm."), (CONTEXT, "So far.")]
    # Earlier versions have no mark, and name the summary in the session.
    early = message(2, "assistant", text("So far."), finish("end_turn"))
    assert said(rows(early, summary_message_id=early["id"])) == [("system", [(CONTEXT, "So far.")])]


def test_the_model_is_the_one_that_a_router_chose():
    routed = message(1, "assistant", text("x"), finish("end_turn"), model="router", prism_model_id="glm")
    [record] = rows(routed).messages
    assert (record.model, record.source["model"]) == ("glm", "router")


@pytest.mark.parametrize(
    ("name", "own", "parent"),
    [
        (f"{OWN}$$c1", f"{OWN}$$c1", "p"),
        ("call_1", "p-call_1", "p"),
        ("title-p", "title-p", None),
    ],
)
def test_a_subagents_session_names_the_one_that_started_it(name: str, own: str, parent: str | None):
    record = rows(id=name, parent_session_id="p", title="New Agent Session")
    assert (record.source_id, record.parent_source_id, record.title) == (own, parent, None)


def test_what_is_damaged_or_unknown_is_kept_and_counted():
    strange = {"type": "hologram", "data": {"text": "x"}}
    row = message(1, "robot", strange, "loose", {"type": "text", "data": 7})
    damaged = {**message(2, "user"), "parts": '[{"type":'}
    record = rows(row, damaged, "no row", message(1, "user", text("again")))
    kinds = {"unknown_part:hologram": 1, "unknown_part:none": 1, "unknown_part:text": 1}
    others = {"unknown_role": 1, "malformed_content": 1, "malformed_message": 1, "duplicate_message": 1}
    assert record.warnings == kinds | others
    assert [part.source for part in record.messages[0].parts] == [strange, "loose", {"type": "text", "data": 7}]
    assert record.messages[1].source["parts"] == '[{"type":'
    left = record.source_json["tables"]["messages"]
    assert left[0] == "no row"
    assert left[1]["parts"] == [text("again")]


def test_a_session_without_messages_is_a_dialogue_and_one_without_rows_is_rejected():
    assert rows().messages == ()
    for value in ({"database": "crush", "tables": []}, {"database": "crush", "tables": {"messages": 7}}):
        assert isinstance(READER.read(value, "x"), RejectedRecord)


def test_other_databases_are_none_of_crush_and_what_it_prints_is_rejected_with_what_to_do(tmp_path: Path):
    assert READER.recognise({"database": "goose", "tables": {}}).confidence == 0.0
    printed = {"meta": {"id": "h", "uuid": OWN, "created": "x", "modified": "x"}, "messages": []}
    found = READER.recognise(printed)
    assert not found.is_enough
    assert "import crush.db" in found.reason
    write_database(tmp_path / "other.db", {}, "CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT)")
    assert [item for file in read_paths([tmp_path]) for item in file.records()] == []
