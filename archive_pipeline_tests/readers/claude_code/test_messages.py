"""Which lines of a session are one message of Claude Code, and which one each follows."""

from __future__ import annotations

from datetime import UTC, datetime

from archive_pipeline.ingest.prepare import prepare
from archive_pipeline_tests.readers.claude_code.lines import (
    answer,
    call,
    chain,
    entry,
    parts,
    read,
    result,
    said,
    text,
    uuid,
)


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
