"""OpenCode's exports: whose words a message has, calls with their results, what was taken back, what is none of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.declaration import RECOGNISED
from archive_pipeline.readers.opencode.dialogue import read_session
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.registry import readers, recognise
from archive_pipeline_tests.readers.opencode_sessions import (
    DIGEST,
    INFO,
    NEWER,
    PICTURE,
    SESSION,
    START,
    Item,
    done,
    entry,
    export,
    message,
    part,
    parts,
    read,
    tool,
    who,
)


def test_a_session_is_read_whole():
    todos = [{"content": "Sum them", "status": "completed", "priority": "high"}]
    step = {"reason": "tool-calls", "cost": 0.01, "tokens": {"input": 12, "output": 3}}
    record = read(
        export(
            message(
                "msg_1",
                "user",
                part("text", 1, text="Sum the horizons in @a.csv"),
                part(
                    "text",
                    2,
                    text='Called the Read tool with the following input: {"filePath":"/a.csv"}',
                    synthetic=True,
                ),
                part(
                    "file", 3, mime="text/plain", filename="a.csv", url="file:///work/a.csv", source={"path": "a.csv"}
                ),
                part("file", 4, mime="image/png", filename="pit.png", url=PICTURE),
            ),
            message(
                "msg_2",
                "assistant",
                part("step-start", 1, snapshot="4b825d"),
                part("reasoning", 2, text="ls will do", time={"start": START}),
                tool("call_1", done("a.csv\n"), 3),
                part("step-finish", 4, **step),
                part("patch", 5, hash="4b825d", files=["/work/a.csv"]),
                finish="tool-calls",
            ),
            message("msg_3", "assistant", part("text", 1, text="They sum to 98 cm.")),
            parentID="ses_parent",
        )
        | {"todos": todos}
    )
    about = (record.source, record.source_id, record.title, record.project_id, record.parent_source_id)
    assert about == ("opencode", SESSION, "Sum of the horizons", "/work/loess", "ses_parent")
    assert record.created_at is not None
    assert record.updated_at is not None
    assert (record.created_at.year, record.updated_at.second) == (2026, 9)
    assert who(record) == [
        ("user", False, "complete"),
        ("assistant", False, "complete"),
        ("assistant", False, "complete"),
    ]
    assert [each.model for each in record.messages] == [None, "claude-sonnet-4-5", "claude-sonnet-4-5"]
    assert [each.created_at.second for each in record.messages if each.created_at] == [1, 2, 3]
    asked, called, said = record.messages
    assert parts(asked)[0] == ("text", "Sum the horizons in @a.csv")
    assert [kind for kind, _ in parts(asked)] == ["text", "context"]
    assert [
        (f.source_id, f.file_name, f.mime_type, f.uri, f.size_bytes, f.content_sha256) for f in asked.attachments
    ] == [
        ("prt_03", "a.csv", "text/plain", "file:///work/a.csv", None, None),
        ("prt_04", "pit.png", "image/png", None, 2, DIGEST),
    ]
    assert asked.attachments[1].source == {"type": "file", "url": PICTURE}
    assert parts(called) == [("thinking", "ls will do"), ("tool_use", None), ("tool_result", "a.csv\n")]
    use, result = called.parts[1:]
    assert (use.tool_name, use.tool_use_id, use.tool_input) == ("bash", "call_1", {"command": "ls"})
    assert (result.tool_name, result.tool_use_id, result.is_error) == ("bash", "call_1", False)
    assert [each["type"] for each in called.source["parts"]] == ["step-start", "step-finish", "patch"]
    assert called.source["parts"][1]["tokens"] == {"input": 12, "output": 3}
    assert called.source["info"]["cost"] == 0.01
    assert parts(said) == [("text", "They sum to 98 cm.")]
    assert record.source_json["todos"] == todos
    assert [each.link.parent for each in prepare(record, b"").messages] == [None, "msg_1", "msg_2"]
    assert not record.warnings


def test_a_command_of_the_users_is_no_call_of_the_model():
    ran = message("msg_1", "user", part("text", text="The following tool was executed by the user", synthetic=True))
    given = tool("c1", done("a.md", input={"command": "ls", "description": "List"}))
    record = read(
        export(
            ran,
            message("msg_2", "assistant", given),
            message("msg_3", "assistant", part("text", text="I see."), given),
            message("msg_4", "assistant", given, parentID="msg_3"),
        )
    )
    assert [(m.role, m.is_hidden, m.model is None, parts(m)) for m in record.messages[1:]] == [
        ("system", True, True, [("context", "ls"), ("context", "a.md")]),
        ("assistant", False, False, [("text", "I see."), ("tool_use", None), ("tool_result", "a.md")]),
        ("assistant", False, False, [("tool_use", None), ("tool_result", "a.md")]),
    ]
    left = {**given["state"], "input": {"description": "List"}}
    assert record.messages[1].parts[0].source["state"] == {k: v for k, v in left.items() if k != "output"}


def test_what_opencode_says_in_the_users_name_is_not_the_users():
    record = read(
        export(
            message("msg_1", "user", part("text", text="The following tool was executed by the user", synthetic=True)),
            message(
                "msg_2", "user", part("text", text="Context was pruned", ignored=True), part("text", 2, text="Go on")
            ),
            message("msg_3", "user", part("compaction", auto=True)),
            message("msg_4", "assistant", part("text", text="So far: nothing."), summary=True, mode="compaction"),
            message("msg_5", "user", part("subtask", prompt="Review it", description="review", agent="general")),
        )
    )
    assert [(role, hidden) for role, hidden, _ in who(record)] == [
        *(("system", True), ("user", False), ("system", True), ("system", True), ("user", False)),
    ]
    assert [parts(each) for each in record.messages] == [
        [("context", "The following tool was executed by the user")],
        [("context", "Context was pruned"), ("text", "Go on")],
        [("context", None)],
        [("context", "So far: nothing.")],
        [("text", "Review it")],
    ]
    assert record.messages[2].parts[0].source == {"id": "prt_01", "auto": True}


@pytest.mark.parametrize(
    ("about", "state", "text"),
    [
        ({"error": {"name": "MessageAbortedError", "data": {"message": "Aborted"}}}, "aborted", "Aborted"),
        ({"error": {"name": "APIError", "data": {"message": "Overloaded", "statusCode": 529}}}, "error", "Overloaded"),
        ({"error": {"name": "MessageOutputLengthError", "data": {}}}, "error", None),
        ({"time": {"created": START}}, "in_progress", None),
        ({}, "complete", None),
    ],
)
def test_an_answer_says_how_it_ended(about: Item, state: str, text: str | None):
    [answer] = read(export(message("msg_1", "assistant", part("text", text="Half"), **about))).messages
    assert answer.state == state
    assert parts(answer) == [("text", "Half"), *([("error", text)] if text else [])]


def test_a_call_has_a_result_once_it_has_ended():
    given = {"input": {"command": "ls"}, "time": {"start": START, "end": START}}
    seen = {"id": "prt_9", "type": "file", "mime": "image/png", "url": PICTURE}
    [answer] = read(
        export(
            message(
                "msg_1",
                "assistant",
                tool("c1", {"status": "error", "error": "No such file", "metadata": {"output": "half"}, **given}, 1),
                tool("c2", {"status": "running", "input": {"filePath": "/a"}, "time": {"start": START}}, 2, "read"),
                tool("c3", {"status": "pending", "input": {}, "raw": '{"pa'}, 3),
                tool("c4", done("", attachments=[seen]), 4, "read"),
            )
        )
    ).messages
    found = [(each.part_type.value, each.tool_use_id, each.text, each.is_error) for each in answer.parts]
    assert found == [
        ("tool_use", "c1", None, None),
        ("tool_result", "c1", "No such file", True),
        ("tool_use", "c2", None, None),
        ("tool_use", "c3", None, None),
        ("tool_use", "c4", None, None),
        ("tool_result", "c4", None, False),
        ("image", "c4", None, None),
    ]
    assert answer.parts[0].source["state"]["metadata"] == {"output": "half"}
    assert answer.parts[3].source["state"] == {"status": "pending", "raw": '{"pa'}
    assert answer.parts[6].content_sha256 == DIGEST


@pytest.mark.parametrize(
    ("revert", "shown"),
    [
        ({"messageID": "msg_3", "snapshot": "4b825d"}, 2),
        ({"messageID": "msg_2", "partID": "prt_09"}, 2),
        ({"messageID": "msg_1"}, 0),
        ({"messageID": "msg_9"}, 4),
        (None, 4),
    ],
)
def test_what_was_taken_back_is_no_message_and_stays_beside_them(revert: Item | None, shown: int):
    said = [message(f"msg_{at}", role, part("text", text=role)) for at, role in enumerate(("user", "assistant") * 2, 1)]
    record = read(export(*said, revert=revert))
    assert record.messages == read(export(*said[:shown])).messages
    assert record.source_json.get("taken_back", []) == said[shown:]
    assert record.is_emptied == (shown == 0)


def test_of_a_message_that_was_taken_back_in_part_the_beginning_stays():
    texts = [part("text", number, text=f"{number}.") for number in (1, 2, 3)]
    said = [message("msg_1", "user", texts[0]), message("msg_2", "assistant", *texts), message("msg_3", "user")]
    record = read(export(*said, revert={"messageID": "msg_2", "partID": "prt_02"}))
    assert [parts(each) for each in record.messages] == [[("text", "1.")], [("text", "1.")]]
    assert record.source_json["taken_back"] == [{"id": "msg_2", "parts": said[1]["parts"][1:]}, said[2]]


def test_entries_of_version_2_that_were_taken_back_are_no_messages():
    said = [entry(f"msg_{at}", "user", text=str(at)) for at in (1, 2, 3)]
    record = read(export(*said, revert={"messageID": "msg_2"}))
    assert [each.source_id for each in record.messages] == ["msg_1"]
    assert record.source_json["taken_back"] == said[1:]


@pytest.mark.parametrize(
    "title", ["New session - 2026-01-01T00:00:00.000Z", "Child session - 2026-01-01T00:00:00.000Z"]
)
def test_a_session_that_nobody_has_named_has_no_title(title: str):
    record = read(export(title=title))
    assert (record.title, record.source_json["info"]["title"]) == (None, title)


def test_what_is_unknown_is_kept_and_counted():
    hologram = part("hologram", depth=3)
    record = read(
        export(message("msg_1", "assistant", hologram), entry("msg_2", "hologram", text="?"), "no message", {})
    )
    assert [parts(each) for each in record.messages] == [[("unknown", None)], [("unknown", "?")]]
    assert record.messages[0].parts[0].source == {"id": "prt_01", "depth": 3}
    assert record.warnings == {"unknown_part:hologram": 1, "unknown_role": 1, "malformed_message": 2}
    assert record.source_json["messages"] == ["no message", {}]


def test_an_id_that_came_before_is_no_second_message():
    first, again = (message("msg_1", "user", part("text", text=text)) for text in ("a", "b"))
    record = read(export(first, again))
    assert [parts(each) for each in record.messages] == [[("text", "a")]]
    assert record.source_json["messages"] == [again]
    assert record.warnings == {"duplicate_message": 1}


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (export(message("msg_1", "user")), 1.0),
        ({"info": NEWER, "messages": [entry("msg_1", "user", text="x")]}, 1.0),
        (export(), 0.6),
        (export({"role": "user", "content": "x"}), 0.1),
        ({"database": "opencode", "conversation_id": "s", "tables": {}}, 1.0),
        ({"info": {"title": "x"}, "messages": [entry("msg_1", "user", text="x")]}, 0.0),
        ({"info": {"title": "x"}, "messages": [{"role": "user", "content": "x"}]}, 0.0),
        ({"messages": [{"role": "user", "content": "x"}]}, 0.0),
    ],
)
def test_a_session_is_told_by_its_messages(value: Item, confidence: float):
    assert readers()["opencode"].recognise(value).confidence == confidence
    assert (recognise(value).source == "opencode") == (confidence >= RECOGNISED)


@pytest.mark.parametrize("value", [{"info": INFO}, {"database": "opencode", "tables": []}])
def test_a_session_without_messages_is_rejected(value: Item):
    assert isinstance(read_session(value, "s.json"), RejectedRecord)


def test_pieces_of_sessions_in_the_older_folder_are_left_out_with_a_word(tmp_path: Path):
    storage = tmp_path / "opencode" / "storage"
    pieces = {
        f"session/4b0ea68d/{SESSION}": INFO,
        f"message/{SESSION}/msg_1": message("msg_1", "user")["info"],
        "part/msg_1/prt_1": part("text", text="Hi"),
        f"todo/{SESSION}": [{"content": "Sum them", "status": "pending"}],
        f"project/{INFO['projectID']}": {"id": INFO["projectID"], "worktree": "/work"},
    }
    for name, value in {**pieces, "../auth": {"anthropic": {"key": "secret"}}, "../mcp-auth": {"x": 1}}.items():
        path = storage / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    reading = read_paths([tmp_path / "opencode"])
    assert [record for file in reading for record in file.records()] == []
    reasons = [file.reason for file in reading.skipped]
    assert sum("pieces of sessions of OpenCode before 1.2" in reason for reason in reasons) == len(pieces)
    assert sum("never opened" in reason for reason in reasons) == 2
    [named] = read_paths([storage / "part" / "msg_1" / "prt_1.json"])
    [rejected] = named.records()
    assert isinstance(rejected, RejectedRecord)
    assert "export the session instead" in f"{rejected.reason} {rejected.error}"
