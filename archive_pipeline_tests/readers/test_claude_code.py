"""Claude Code's sessions: answers of several lines, results, what is not the user's, titles, ids, other files."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.claude_code import READER
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.claude_code_lines import (
    SESSION,
    answer,
    call,
    chain,
    entry,
    read,
    result,
    said,
    session,
    text,
    uuid,
)

PICTURE = base64.b64encode(b"\x89PNG picture").decode()


def parts(record: DialogueRecord) -> list[list[tuple[str, str | None]]]:
    return [[(part.part_type.value, part.text) for part in message.parts] for message in record.messages]


def test_the_lines_of_one_answer_are_one_message():
    record = read(
        said("u1", None, 0, "why?"),
        answer("a1", "u1", 1, "msg_1", {"type": "thinking", "thinking": "hm", "signature": "S"}, tokens=3),
        answer("a2", "a1", 2, "msg_1", text("because"), tokens=40),
        answer("a3", "a2", 3, "msg_1", call("t1", "Bash", command="ls"), tokens=40),
    )
    assert chain(record) == [("u1", None, "user"), ("a1", "u1", "assistant")]
    assert parts(record) == [[("text", "why?")], [("thinking", "hm"), ("text", "because"), ("tool_use", None)]]
    message = record.messages[1]
    assert message.model == "claude-opus-4-7"
    assert (message.created_at, message.updated_at) == (
        datetime(2026, 4, 18, 13, 0, 1, tzinfo=UTC),
        datetime(2026, 4, 18, 13, 0, 3, tzinfo=UTC),
    )
    assert message.source["message"]["usage"] == {"input_tokens": 6, "output_tokens": 40}
    assert [line["parentUuid"] for line in message.source["lines"]] == [uuid("u1"), uuid("a1")]
    assert message.source["lines"][0]["message"] == {"usage": {"input_tokens": 6, "output_tokens": 3}}
    assert "cwd" not in message.source
    assert record.source_json["common"]["cwd"] == record.project_id == "/work/shop"
    assert not record.warnings


def test_an_answer_that_grows_from_line_to_line_is_told_once():
    record = read(
        answer("a1", None, 0, "m", text("Hel")),
        answer("a2", "a1", 1, "m", text("Hello"), call("t", "Read")),
        answer("a3", "a2", 2, "m", text("Hello"), call("t", "Read")),
    )
    assert parts(record) == [[("text", "Hello"), ("tool_use", None)]]
    assert record.messages[0].source["superseded"] == [text("Hel")]


def test_an_id_that_every_answer_has_does_not_make_them_one():
    record = read(
        said("u1", None, 0, "one"),
        answer("a1", "u1", 1, "same", text("1"), requestId="r"),
        said("u2", "a1", 2, "two"),
        answer("a2", "u2", 3, "same", text("2"), requestId="r"),
        answer("a3", "a2", 4, "same", text("3"), requestId="other"),
    )
    assert [name for name, _, _ in chain(record)] == ["u1", "a1", "u2", "a2", "a3"]


def test_results_of_parallel_calls_are_one_chain():
    record = read(
        said("u1", None, 0, "look"),
        answer("a1", "u1", 1, "m1", call("t1", "Bash")),
        answer("a2", "a1", 2, "m1", call("t2", "Read")),
        result("r2", "a2", 3, "t2", "second", toolUseResult={"stdout": "second"}),
        result("r1", "a1", 4, "t1", "first"),
        answer("a3", "r2", 5, "m2", text("seen")),
    )
    assert chain(record) == [
        ("u1", None, "user"),
        ("a1", "u1", "assistant"),
        ("r2", "a1", "tool"),
        ("r1", "r2", "tool"),
        ("a3", "r1", "assistant"),
    ]
    use, answered = record.messages[1].parts[1], record.messages[2].parts[0]
    assert (answered.tool_name, answered.tool_use_id) == (use.tool_name, use.tool_use_id) == ("Read", "t2")
    assert record.messages[2].source["toolUseResult"] == {"stdout": "second"}


def test_calls_that_are_answered_while_the_answer_goes_on_are_its_calls():
    record = read(
        answer("a1", None, 0, "m1", call("t1", "Bash")),
        result("r1", "a1", 1, "t1", "1"),
        entry("attachment", "h1", "r1", 2, attachment={"type": "hook_success", "content": "ok"}),
        answer("a2", "h1", 3, "m1", call("t2", "Bash")),
        result("r2", "a2", 4, "t2", "2"),
        answer("a3", "r2", 5, "m2", text("done")),
    )
    assert [(name, parent) for name, parent, _ in chain(record)] == [
        ("a1", None), ("r1", "a1"), ("r2", "r1"), ("a3", "r2"),
    ]  # fmt: skip


def test_a_prompt_that_was_sent_again_is_a_branch():
    record = read(
        said("u1", None, 0, "one"),
        answer("a1", "u1", 1, "m1", call("t1", "Bash")),
        result("r1", "a1", 2, "t1", "x"),
        answer("a2", "r1", 3, "m2", text("two")),
        said("u2", "a2", 4, "go left"),
        answer("a3", "u2", 5, "m3", text("left")),
        said("u3", "a2", 6, "go right"),
        answer("a4", "u3", 7, "m4", text("right")),
    )
    assert [(name, parent) for name, parent, _ in chain(record)][4:] == [
        ("u2", "a2"), ("a3", "u2"), ("u3", "a2"), ("a4", "u3"),
    ]  # fmt: skip
    assert record.active_source_id == uuid("a4")


def test_an_unanswered_prompt_that_was_edited_is_a_branch():
    record = read(
        said("u1", None, 0, "one"),
        answer("a1", "u1", 1, "m1", text("1")),
        said("u2", "a1", 2, "tow"),
        said("u3", "a1", 3, "two"),
    )
    assert [parent for _, parent, _ in chain(record)] == [None, "u1", "a1", "a1"]


def test_what_was_typed_while_the_model_worked_is_the_users_and_no_branch():
    record = read(
        said("u1", None, 0, "go"),
        answer("a1", "u1", 1, "m1", call("t1", "Bash"), call("t2", "Bash")),
        result("r1", "a1", 2, "t1", "1"),
        entry(
            "attachment",
            "q1",
            "r1",
            3,
            attachment={"type": "queued_command", "prompt": "and tests", "commandMode": "prompt"},
        ),
        result("r2", "a1", 4, "t2", "2"),
        answer("a2", "r2", 5, "m2", text("ok")),
    )
    assert chain(record)[2:] == [
        ("r1", "a1", "tool"), ("q1", "r1", "user"), ("r2", "q1", "tool"), ("a2", "r2", "assistant"),
    ]  # fmt: skip
    assert parts(record)[3] == [("text", "and tests")]


@pytest.mark.parametrize(
    "attachment",
    [
        {"prompt": "done", "commandMode": "task-notification"},
        {"prompt": "done", "origin": {"kind": "task-notification"}},
        {"prompt": "<task-notification>done</task-notification>"},
        {"prompt": "done", "isMeta": True},
    ],
)
def test_notices_in_the_queue_are_not_the_users(attachment: dict[str, Any]):
    record = read(entry("attachment", "q1", None, 0, attachment={"type": "queued_command", **attachment}))
    assert [(m.role, m.is_hidden, m.parts[0].part_type.value) for m in record.messages] == [("system", True, "context")]


INJECTED = [
    "<local-command-caveat>Caveat: The messages below</local-command-caveat>",
    "Caveat: The messages below were generated by the user while running local commands. DO NOT respond",
    "<command-name>/exit</command-name>\n   <command-message>exit</command-message>\n   <command-args>x</command-args>",
    "<local-command-stdout>See ya!</local-command-stdout>",
    "<bash-input>ls</bash-input>",
    "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
    "<system-reminder>\nremember\n</system-reminder>",
    '<teammate-message teammate_id="bob">hi</teammate-message>',
    "[Request interrupted by user for tool use]",
    "This session is being continued from a previous conversation that ran out of context. Summary:",
]


@pytest.mark.parametrize("words", INJECTED)
@pytest.mark.parametrize("is_block", [False, True])
def test_what_the_tool_puts_in_is_hidden_context_and_not_the_users(words: str, is_block: bool):
    record = read(said("u1", None, 0, [text(words)] if is_block else words))
    [message] = record.messages
    assert (message.role, message.is_hidden) == ("system", True)
    assert [(part.part_type.value, part.text) for part in message.parts] == [("context", words)]


@pytest.mark.parametrize(
    ("notice", "state"), [("[Request interrupted by user]", "aborted"), ("go on", "complete"), (None, "complete")]
)
def test_an_answer_that_the_user_interrupted_is_not_whole(notice: str | None, state: str):
    lines = [said("u1", None, 0, "list them"), answer("a1", "u1", 1, "m1", text("First"))]
    behind = [] if notice is None else [said("u2", "a1", 2, notice)]
    record = read(*lines, *behind, said("u3", "u2" if behind else "a1", 3, "and now?"))
    assert record.messages[1].state == state


@pytest.mark.parametrize("flag", ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"])
def test_lines_that_say_that_they_are_not_the_users_are_hidden(flag: str):
    [message] = read(said("u1", None, 0, "as asked", **{flag: True})).messages
    assert (message.role, message.is_hidden, message.parts[0].source_type) == ("system", True, flag)


def test_a_reminder_in_a_prompt_is_context_beside_the_users_words():
    words = "fix <b>it</b>\n<system-reminder>be brief</system-reminder>\n"
    [message] = read(said("u1", None, 0, [text("<ide_opened_file>a.py</ide_opened_file>"), text(words)])).messages
    assert (message.role, message.is_hidden) == ("user", False)
    assert [(part.part_type.value, part.text, part.source_type) for part in message.parts] == [
        ("context", "<ide_opened_file>a.py</ide_opened_file>", "ide_opened_file"),
        ("text", "fix <b>it</b>", "text"),
        ("context", "<system-reminder>be brief</system-reminder>", "system-reminder"),
    ]
    assert message.parts[1].source == {"text": words}


@pytest.mark.parametrize(
    "words",
    ["what does <system-reminder>x</system-reminder> mean?", "<system-reminder> is never closed", "<command-name>"],
)
def test_a_user_may_speak_of_tags(words: str):
    [message] = read(said("u1", None, 0, words)).messages
    assert [(part.part_type.value, part.text) for part in message.parts] == [("text", words)]


def test_a_command_that_the_model_answers_is_what_the_user_typed():
    tags = (
        "<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n"
        "<command-args>a < b</command-args>"
    )
    record = read(
        said("u1", None, 0, tags),
        said("u2", "u1", 1, [text("You review code.")], isMeta=True),
        answer("a1", "u2", 2, "m", text("fine")),
    )
    assert [(m.role, m.is_hidden) for m in record.messages] == [("user", False), ("system", True), ("assistant", False)]
    assert parts(record)[0] == [("text", "/review a < b")]
    assert record.messages[0].parts[0].source == {"text": tags}
    assert parts(read(said("u1", None, 0, tags.replace("a < b", ""))))[0] == [("text", "/review")]


def test_results_with_the_users_words_behind_them_are_two_messages():
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}
    record = read(
        answer("a1", None, 0, "m1", call("t1", "Bash")),
        said("r1", "a1", 1, [block, text("do it otherwise")]),
        answer("a2", "r1", 2, "m2", text("ok")),
    )
    assert chain(record) == [
        ("a1", None, "assistant"),
        ("r1", "a1", "tool"),
        (f"{uuid('r1')}-text", "r1", "user"),
        ("a2", f"{uuid('r1')}-text", "assistant"),
    ]
    assert parts(record)[1:3] == [[("tool_result", "no")], [("text", "do it otherwise")]]
    assert record.messages[1].parts[0].is_error is True


def test_a_result_has_its_texts_and_its_pictures_beside_it():
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
    found = [text("one"), {"type": "tool_reference", "tool_name": "Read"}, picture, {"type": "odd", "x": 1}]
    record = read(answer("a1", None, 0, "m", call("t1", "Look")), result("r1", "a1", 1, "t1", found))
    text_part, image = record.messages[1].parts
    assert text_part.text == "one\n\nRead"
    assert text_part.source == {"content": [found[1], found[3]]}
    assert (image.part_type.value, image.tool_use_id, image.mime_type) == ("image", "t1", "image/png")
    assert image.content_sha256 == hashlib.sha256(b"\x89PNG picture").hexdigest()
    assert image.source == picture


def test_a_picture_in_a_prompt_is_a_part_with_the_hash_of_its_content():
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
    [message] = read(said("u1", None, 0, [picture, text("what is it?")])).messages
    assert message.role == "user"
    assert message.parts[0].content_sha256 == hashlib.sha256(b"\x89PNG picture").hexdigest()


def test_a_file_that_a_prompt_names_is_attached_to_it():
    about = {"type": "text", "file": {"filePath": "/work/a.md", "content": "# A", "numLines": 1}}
    line = entry("attachment", "f1", "h1", 2, attachment={"type": "file", "filename": "/work/a.md", "content": about})
    hook = entry("attachment", "h1", "u1", 1, attachment={"type": "hook_success"})
    record = read(said("u1", None, 0, "read @a.md"), hook, line, answer("a1", "f1", 3, "m", text("read")))
    [file] = record.messages[0].attachments
    assert (file.file_name, file.extracted_text) == ("/work/a.md", "# A")
    assert file.source["attachment"]["content"]["file"] == {"filePath": "/work/a.md", "numLines": 1}
    assert record.source_json["lines"] == [hook]
    assert chain(record)[1] == ("a1", "u1", "assistant")


def test_what_the_tool_says_in_the_models_place_is_no_answer():
    failed = answer("a1", "u1", 1, "x1", text("API Error: 500"), isApiErrorMessage=True)
    nothing = answer("a2", "a1", 2, "x2", text("No response requested."))
    for line in (failed, nothing):
        line["message"]["model"] = "<synthetic>"
    record = read(said("u1", None, 0, "hi"), failed, nothing)
    assert [(m.role, m.state, m.is_hidden, m.model) for m in record.messages[1:]] == [
        ("assistant", "error", False, None),
        ("system", "complete", True, None),
    ]
    assert parts(record)[1:] == [[("error", "API Error: 500")], [("context", "No response requested.")]]
    assert record.messages[1].source["message"]["model"] == "<synthetic>"


def test_thoughts_that_are_not_told_and_blank_texts_are_kept_without_a_text():
    record = read(
        answer("a1", None, 0, "m", text("\n\n")),
        answer("a2", "a1", 1, "m", {"type": "thinking", "thinking": "", "signature": "S"}),
        answer("a3", "a2", 2, "m", text("yes")),
    )
    assert parts(record) == [[("text", None), ("thinking", None), ("text", "yes")]]
    assert [part.source for part in record.messages[0].parts] == [{"text": "\n\n"}, {"signature": "S"}, None]


def test_a_compaction_goes_on_where_it_stood():
    boundary = entry("system", "s1", None, 2, subtype="compact_boundary", content="Conversation compacted")
    boundary |= {"logicalParentUuid": uuid("a1")}
    record = read(
        said("u1", None, 0, "one"),
        answer("a1", "u1", 1, "m1", text("1")),
        boundary,
        said("c1", "s1", 3, "This session is being continued", isCompactSummary=True),
        said("u2", "c1", 4, "two"),
    )
    assert chain(record) == [
        ("u1", None, "user"),
        ("a1", "u1", "assistant"),
        ("s1", "a1", "system"),
        ("c1", "s1", "system"),
        ("u2", "c1", "user"),
    ]
    assert [m.is_hidden for m in record.messages] == [False, False, True, True, False]


def test_a_line_before_that_is_not_in_the_file_is_the_message_before():
    record = read(
        said("u1", "gone", 0, "one"),
        answer("a1", "lost", 1, "m1", text("1")),
        answer("a2", None, 2, "m2", text("2")),
        said("u2", None, 3, "anew"),
    )
    assert [parent for _, parent, _ in chain(record)] == ["gone", "u1", "a1", None]
    assert record.warnings == {"relinked_parent": 2}
    assert prepare(record, b"").counts == {"relinked_parent": 2, "missing_parent": 1}


def test_lines_that_form_a_circle_are_read():
    one = entry("progress", "p1", "p2", 1)
    record = read(said("u1", None, 0, "one"), one, entry("progress", "p2", "p1", 2), said("u2", "p1", 3, "two"))
    assert [parent for _, parent, _ in chain(record)] == [None, "u1"]
    record = read(said("u1", "u2", 0, "one"), said("u2", "u1", 1, "two"))
    assert prepare(record, b"").counts == {"cycle": 1}


def test_without_any_line_before_each_follows_the_one_before():
    record = read(said("u1", None, 0, "one"), answer("a1", None, 1, "m", text("1")))
    assert record.is_linear_source
    assert record.warnings["no_parent_pointers"] == 1


def test_a_line_that_is_repeated_is_one_and_another_of_its_id_is_kept():
    line = said("u1", None, 0, "one")
    record = read(line, dict(line), line | {"version": "3"}, answer("a1", "u1", 1, "m", text("1")))
    assert [name for name, _, _ in chain(record)] == ["u1", "a1"]
    assert record.source_json["lines"] == [line | {"version": "3"}]
    assert record.warnings == {"duplicate_message": 1}


def test_what_is_no_line_is_kept_and_counted():
    broken = entry("user", "u2", "u1", 1, message="x")
    odd: list[Any] = [
        42,
        [1],
        "x",
        {"unreadable_line": '{"type": "us'},
        {"silly": 1},
        {"type": "novel", "uuid": "n"},
        broken,
    ]
    record = read(said("u1", None, 0, "one"), *odd, said("u3", "u2", 2, None))
    assert record.source_json["lines"] == odd
    assert [(name, parent) for name, parent, _ in chain(record)] == [("u1", None), ("u3", "u1")]
    assert record.messages[1].parts == ()
    assert record.warnings == {"malformed_message": 5, "unknown_line:none": 1, "unknown_line:novel": 1}


def test_a_subagents_lines_in_a_session_are_hidden_and_stand_in_the_turn():
    record = read(
        said("u1", None, 0, "go"),
        answer("a1", "u1", 1, "m1", call("t1", "Task", prompt="look")),
        said("s1", None, 2, "look", isSidechain=True),
        answer("s2", "s1", 3, "m2", call("t2", "Bash"), isSidechain=True),
        result("s3", "s2", 4, "t2", "x", isSidechain=True),
        answer("s4", "s3", 5, "m3", text("seen"), isSidechain=True),
        result("r1", "a1", 6, "t1", "seen"),
        answer("a2", "r1", 7, "m4", text("done")),
    )
    assert [name for name, _, _ in chain(record)] == ["u1", "a1", "s1", "s2", "s3", "s4", "r1", "a2"]
    assert [parent for _, parent, _ in chain(record)] == [None, "u1", "a1", "s1", "s2", "s3", "s4", "r1"]
    assert [m.role for m in record.messages if m.is_hidden] == ["system", "assistant", "tool", "assistant"]


def test_a_subagents_file_is_a_dialogue_of_its_own():
    lines = [
        said("u1", None, 0, "look", isSidechain=True, agentId="a36"),
        answer("a1", "u1", 1, "m", text("seen"), isSidechain=True, agentId="a36"),
    ]
    record = read(*lines, file="agent-a36.jsonl")
    assert record.source_id == f"{SESSION}-agent-a36"
    assert [(m.role, m.is_hidden) for m in record.messages] == [("user", False), ("assistant", False)]
    assert record.source_json["common"]["agentId"] == "a36"


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("99999999-2222-4333-8444-555555555555.jsonl", "99999999-2222-4333-8444-555555555555"),
        ("my session.jsonl", SESSION),
        (None, SESSION),
    ],
)
def test_a_session_has_the_name_of_its_file_or_of_its_lines(file: Any, expected: str):
    assert read(said("u1", None, 0, "one"), file=file).source_id == expected


def test_titles_are_the_users_then_the_models_then_a_summarys():
    lines: list[Any] = [
        said("u1", None, 0, "one"),
        {"type": "summary", "summary": "of another session", "leafUuid": uuid("zz")},
    ]
    assert read(*lines).title is None
    lines += [{"type": "summary", "summary": "S", "leafUuid": uuid("u1")}]
    assert read(*lines).title == "S"
    lines += [{"type": "ai-title", "aiTitle": "A", "sessionId": SESSION}]
    assert read(*lines).title == "A"
    lines += [{"type": "custom-title", "customTitle": name, "sessionId": SESSION} for name in ("C", "D")]
    assert read(*lines, {"type": "ai-title", "aiTitle": "B", "sessionId": SESSION}).title == "D"


def test_a_session_without_messages_is_one():
    snapshot = {
        "type": "file-history-snapshot",
        "messageId": "m",
        "snapshot": {"timestamp": "x"},
        "isSnapshotUpdate": False,
    }
    record = read(snapshot)
    assert (record.source_id, record.messages, record.created_at, dict(record.warnings)) == (SESSION, (), None, {})
    assert record.source_json["lines"] == [snapshot]
    assert 0.5 <= recognise(session(snapshot)).evidence.confidence < 1


def test_copied_lines_are_older_than_the_session():
    other = "99999999-2222-4333-8444-555555555555"
    mark = {"forkedFrom": {"sessionId": SESSION, "messageUuid": uuid("u1")}}
    copied = said("u1", None, 0, "one", **mark) | {"sessionId": other}
    own = said("u2", "u1", 50, "two") | {"sessionId": other}
    began = datetime(2026, 4, 18, 13, 0, 50, tzinfo=UTC)
    assert read(copied, own, file=f"{other}.jsonl").created_at == began
    assert read(said("u1", None, 0, "one"), own, file=f"{other}.jsonl").created_at == began
    assert read(
        copied, copied | {"uuid": "x", "timestamp": "2026-04-18T13:00:09Z"}, file=f"{other}.jsonl"
    ).created_at == (datetime(2026, 4, 18, 13, 0, 9, tzinfo=UTC))
    assert read(said("u1", None, 0, "one"), file="x.jsonl").created_at == datetime(2026, 4, 18, 13, tzinfo=UTC)


def test_lines_of_other_agents_are_not_taken_for_claude_codes():
    qwen = {"uuid": "u", "parentUuid": None, "sessionId": "s", "type": "user", "message": {"role": "user", "parts": []}}
    others = [
        qwen,
        {"type": "session_meta", "payload": {"id": "x"}},
        {"type": "message", "id": "1", "parentId": None, "message": {"role": "user"}},
        {"type": "user", "session_id": "s", "message": {"role": "user", "content": "x"}},
        {"type": "summary", "summary": "x"},
        {"display": "x", "sessionId": SESSION, "project": "/work"},
        {"type": ["user"]},
    ]
    for line in others:
        assert not READER.is_line(line)
        assert recognise(session(line)).source != "claude_code"
    assert recognise({"lines": "x"}).source is None


def written(folder: Path, name: str, *lines: Any, end: str = "\n") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(line) for line in lines) + end)
    return path


def test_a_folder_of_projects_is_read_and_what_is_beside_is_said(tmp_path: Path):
    folder = tmp_path / "-work-shop"
    written(folder, f"{SESSION}.jsonl", said("u1", None, 0, "one"), end='\n{"type": "assist')
    agent = said("u1", None, 0, "look", isSidechain=True, agentId="a36")
    written(folder, f"{SESSION}/subagents/agent-a36.jsonl", agent)
    (folder / SESSION / "subagents" / "agent-a36.meta.json").write_text('{"agentType": "Explore", "description": "d"}')
    (folder / "sessions-index.json").write_text('{"version": 1, "entries": []}')
    reading = read_paths([tmp_path])
    items = [item for file in reading for item in file.records()]
    assert not [item for item in items if isinstance(item, RejectedRecord)]
    records = {item.record.source_id: item.record for item in items if isinstance(item, ReadDialogue)}
    assert set(records) == {SESSION, f"{SESSION}-agent-a36"}
    assert records[SESSION].source_json["lines"] == [{"unreadable_line": '{"type": "assist'}]
    kinds = {skipped.kind for skipped in reading.skipped}
    assert kinds == {"descriptions of subagents", "list of sessions"}
