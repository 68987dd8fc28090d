"""Whose words stand in the user's place of Cline's tasks: what the program marks, results of tools, pictures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from archive_pipeline.readers.cline.wording import Piece, pieces_of, result_in, words_in_result
from archive_pipeline_tests.readers.cline_tasks import (
    COMPLETED,
    CONTEXT,
    ENVIRONMENT,
    FEEDBACK,
    RESULT,
    RESUMED,
    TEXT,
    call,
    message,
    read,
    result,
    said,
    task,
    text,
)
from archive_pipeline_tests.readers.work import growth

APPROVED_PLAN = "The user approved switching to act mode. Continue with the approved plan now."


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ('<task>\nGo.\n</task>\n\n<file_content path="a">\nx\n</file_content>', ["Go."]),
        ("<user_message>\nGo.\n</user_message>", ["Go."]),
        ('<user_input mode="plan"><mode_notice>Was act.</mode_notice>\nGo.</user_input>', ["Go."]),
        ("[ask_followup_question for 'Which?'] Result:\n<answer>\nThis.\n</answer>", ["This."]),
        (f"[attempt_completion] Result:\n{COMPLETED}\n<feedback>\nMore.\n</feedback>", ["More."]),
        (f"[TASK RESUMPTION] Go on.\n\n{RESUMED}\n<user_message>\nMore.\n</user_message>", ["More."]),
        ("[TASK RESUMPTION] The user has sent a message:\n<user_message>\nMore.\n</user_message>", ["More."]),
        ("Tool repetition limit reached. User feedback: Stop.", ["Stop."]),
        (f"\n\n{RESUMED}\n<user_message>\nMore.\n</user_message>", ["More."]),
        ("Go.", ["Go."]),
        ("Write a <task> tag.", ["Write a <task> tag."]),
        ("[ERROR] You did not use a tool.", []),
        ('<user_input mode="act">[TASK RESUMPTION] Please continue where you left off.</user_input>', []),
        (f'<user_input mode="act">{APPROVED_PLAN}</user_input>', []),
        (
            '<user_input mode="act">What does [TASK RESUMPTION] mean?</user_input>',
            ["What does [TASK RESUMPTION] mean?"],
        ),
        ("[read_file for 'a'] Result:\n<task>\nNot mine.\n</task>", []),
        ("[read_file for 'a'] Result:\nexample:\n<feedback>\nNot mine.\n</feedback>", []),
        ("<task>\n\n</task>", []),
        (ENVIRONMENT, []),
    ],
)
def test_the_words_of_the_user_are_those_that_the_program_marks(given: str, texts: list[str]):
    record = read(task(message("user", text(given))))
    users = [part.text for m in record.messages if m.role == "user" for part in m.parts if part.part_type is TEXT]
    assert users == texts
    kept = [value for m in record.messages for part in m.parts for value in (part.text, part.source)]
    assert json.dumps(given)[1:-1] in json.dumps(kept)


def test_a_text_that_nothing_marks_is_the_users_only_where_nothing_is_marked():
    record = read(task(message("user", text("Go on."), text(ENVIRONMENT)), message("user", text("Go on."))))
    assert said(record) == [
        ("system", [(CONTEXT, "Go on."), (CONTEXT, ENVIRONMENT)]),
        ("user", [(TEXT, "Go on.")]),
    ]


def users(*blocks: Any, tool: str | None = None) -> list[str | None]:
    """Return what the user says in blocks in the user's place, behind the call of a tool."""
    asked = [message("assistant", call("c1", tool))] if tool else []
    record = read(task(*asked, message("user", *blocks)))
    return [part.text for m in record.messages if m.role == "user" for part in m.parts if part.part_type is TEXT]


INSTRUCTIONS = '<explicit_instructions type="deploy.md">\nAsk <task>\nnobody\n</task>.\n</explicit_instructions>\n'


def test_the_words_beside_a_slash_command_are_the_users():
    record = read(task(message("user", text(f"{INSTRUCTIONS}<task>\n to staging please\n</task>"))))
    assert said(record) == [("user", [(CONTEXT, INSTRUCTIONS.strip()), (TEXT, " to staging please")])]
    assert users(text(f"{INSTRUCTIONS}\n\n{COMPLETED}\n<feedback>\n now\n</feedback>")) == [" now"]
    assert users(
        text(f'<hook_context source="TaskStart">\nx\n</hook_context>\n{INSTRUCTIONS}<answer>\nA\n</answer>')
    ) == ["A"]
    assert users(result("c1", f"{INSTRUCTIONS}<answer>\n it\n</answer>"), tool="ask_followup_question") == [" it"]
    header, given = "[ask_followup_question for 'Q'] Result:", f"{INSTRUCTIONS}<answer>\n it\n</answer>"
    assert said(read(task(message("user", text(header), text(given)))))[0] == ("tool", [(RESULT, given)])
    assert users(text(header), text(given)) == [" it"]
    assert users(text(INSTRUCTIONS)) == []


@pytest.mark.parametrize(
    "words",
    [
        "Why does my parser choke on </task> in the middle?",
        "<a>\n</task>\nis closed.",
        "It ends with </task>",
        "<task>\nin a task\n</task>",
    ],
)
@pytest.mark.parametrize("behind", ["", '\n\n<file_content path="a">\n<task>\nx\n</task>\n\n<b>\n</file_content>'])
def test_the_words_end_where_the_program_closes_them(words: str, behind: str):
    assert users(text(f"<task>\n{words}\n</task>{behind}")) == [words]
    feedback = words.replace("task>", "feedback>")
    assert users(text(f"{FEEDBACK}\n<feedback>\n{feedback}\n</feedback>{behind}")) == [feedback]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("<task>Go.</task>", ["Go."]),
        ("<task>\nGo.\n</task>\nBehind.", ["Go."]),
        ("<task>\nGo.", ["<task>\nGo."]),
    ],
)
def test_words_that_are_closed_in_another_way_are_kept(given: str, words: list[str]):
    assert users(text(given)) == words


SOURCE = "return `x`\n// The user provided the following feedback:\n<feedback>\n${feedback}\n</feedback>"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("read_file", '<review user="bob">\n<feedback>\nNot mine.\n</feedback>\n</review>'),
        ("read_file", SOURCE),
        ("read_file", f"a\n{FEEDBACK}\n<feedback>\nNot mine.\n</feedback>"),
        ("read_file", "<task>\nNot mine.\n</task>"),
        ("use_mcp_tool", "user:\n<feedback>\nNot mine.\n</feedback>"),
        ("execute_command", f"Command executed.\nOutput:\n{FEEDBACK}\n<feedback>\nNot mine.\n</feedback>"),
        ("execute_command", f"Command is still running in x.\n{FEEDBACK}\n<feedback>\nNot mine.\n</feedback>\nout"),
    ],
)
def test_what_a_tool_says_in_the_words_of_the_program_is_the_tools(tool: str, given: str):
    assert users(result("c1", given), tool=tool) == []
    assert users(text(f"[{tool} for 'a'] Result:"), text(given)) == []


DENIED = "The user denied this operation and provided the following feedback:"
APPROVED = "The user approved this operation and provided the following context:"
INSTEAD = "The user provided feedback instead of creating a new task:"
SWITCHED = """[The user has switched to ACT MODE, so you may now proceed with the task.]

The user also provided the following message when switching to ACT MODE:"""
RUNNING = f"Command is still running in the user's terminal.\nHere's the output so far:\n{SOURCE}\n\n{FEEDBACK}"
STILL_RUNNING = "Command is still running in terminal from '/a'.\nHere's the output so far:\n1\n"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("read_file", f"{DENIED}\n<feedback>\nNo.\n</feedback>"),
        ("read_file", f"{APPROVED}\n<feedback>\nNo.\n</feedback>"),
        ("new_task", f"{INSTEAD}\n<feedback>\nNo.\n</feedback>"),
        ("plan_mode_respond", f"{SWITCHED}\n<user_message>\nNo.\n</user_message>"),
        ("execute_command", f"{RUNNING}\n<feedback>\nNo.\n</feedback>"),
        ("execute_command", f"{STILL_RUNNING}\n<user_message>\nNo.\n</user_message>"),
    ],
)
def test_the_words_behind_a_sentence_of_the_program_are_the_users(tool: str, given: str):
    assert users(result("c1", given), tool=tool) == ["No."]
    assert users(text(f"[{tool} for 'a'] Result:"), text(given)) == ["No."]


def test_each_text_of_a_result_may_begin_with_the_users_words():
    given = [text("[attempt_completion] Result:"), text("Output"), text(f"{COMPLETED}\n<feedback>\nMore.\n</feedback>")]
    assert users(result("c1", given), tool="attempt_completion") == ["More."]


def test_a_text_of_the_user_that_looks_like_the_programs_is_the_users():
    for words in ("[build] is red. [test] Result: 3 failures. Why?", "[ERROR] in my log, why?"):
        assert users(text(words)) == [words]
    resumed = "You got [read_file for 'a'] Result:\nnothing."
    assert users(text(f"[TASK RESUMPTION] x\n\n{RESUMED}\n<user_message>\n{resumed}\n</user_message>")) == [resumed]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ('{"status":"denied","feedback":"Use \\"8080\\"\\nplease"}', ['Use "8080"\nplease']),
        ('{"status":"denied","message":"The user denied this operation.","feedback":"No."}', ["No."]),
        ('{"status":"approved","feedback":"also lint"}\n\nFile: a', ["also lint"]),
        ('{"status":"denied","message":"The user denied this operation."}', []),
        ('{"status":"error","feedback":"No."}', []),
        ('{"status":"approved","feedback":"No."}, {"status":"approved"}', []),
        ('{"status":"denied","feedback":"No.","by":"bob"}', []),
    ],
)
def test_the_users_words_in_json_are_the_users(given: str, words: list[str]):
    assert users(result("c1", given), tool="write_to_file") == words
    assert users(text("[write_to_file for 'a'] Result:"), text(given)) == words


def test_the_users_guidance_in_json_is_the_users():
    guided = '{"status":"guidance","feedback":"Try smaller steps."}'
    record = read(task(message("user", text(guided), text(ENVIRONMENT))))
    assert said(record) == [("user", [(TEXT, "Try smaller steps."), (CONTEXT, ENVIRONMENT)])]
    assert record.messages[0].parts[0].source == {"text": guided}


def test_pieces_are_found_in_linear_time():
    assert pieces_of(f"{FEEDBACK}\n<feedback>\nb") == [Piece(None, f"{FEEDBACK}\n<feedback>\nb")]
    spoken = f"\n{FEEDBACK}\n<feedback>\nx\n</feedback>"
    units = ("<task>", "</task>", "<task>\n</task>\n ", "<mode_notice>", INSTRUCTIONS, "<hook_context>", spoken)
    for unit in units:
        assert growth(lambda count, unit=unit: pieces_of(unit * count), 50) < 5
        running = f"Command is still running in x.{unit}"
        assert growth(lambda count, text=running: words_in_result(text * count, "execute_command"), 50) < 5
    assert growth(lambda count: result_in("[a_b for " * count), 50) < 5
