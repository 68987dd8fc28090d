"""Results of tools in Cline's tasks: in texts and blocks, their calls and pictures, and answers in them."""

from __future__ import annotations

from typing import Any

import pytest

from archive_pipeline.readers.cline.wording import result_in
from archive_pipeline_tests.readers.cline_tasks import (
    CONTEXT,
    ENVIRONMENT,
    FEEDBACK,
    IMAGE,
    RESULT,
    TEXT,
    call,
    message,
    read,
    result,
    said,
    task,
    text,
)


def test_results_in_texts_of_their_own_belong_to_the_calls_in_their_order():
    record = read(
        task(
            message("assistant", call("c1", "list_files"), call("c2", "list_files"), call("c3", "read_file")),
            message(
                "user",
                text("[list_files for 'a'] Result:"),
                text("one"),
                text("[list_files for 'b'] Result:"),
                text("two"),
                text("[search_files for 'c'] Result:\nthree"),
            ),
        )
    )
    assert [(m.role, m.parts[0].tool_use_id, m.parts[0].text) for m in record.messages[1:]] == [
        ("tool", "c1", "one"),
        ("tool", "c2", "two"),
        ("tool", None, "three"),
    ]


def test_an_answer_is_the_users_and_stays_in_the_result_of_the_question():
    answered = "<answer>\n8080 please\n</answer>"
    record = read(
        task(
            message("assistant", call("c1", "ask_followup_question", question="Which port?")),
            message("user", result("c1", answered), text(ENVIRONMENT)),
        )
    )
    assert said(record)[1:] == [
        ("tool", [(RESULT, answered)]),
        ("user", [(TEXT, "8080 please"), (CONTEXT, ENVIRONMENT)]),
    ]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("[read_file for 'a'] Result:\nout", ("read_file", "out")),
        ("[attempt_completion] Result:", ("attempt_completion", "")),
        ("[execute_command for 'echo \"[x] Result:\" done'] Result:\nout", ("execute_command", "out")),
        ("[execute_command for 'cat <<E\n[a]\nE'] Result:\nout", ("execute_command", "out")),
        ("[new_task in Code mode: 'Go.\n\nOn.'] Result:\nout", ("new_task", "out")),
        ("[new_task completed] Result: Done.", ("new_task", "Done.")),
        ("[switch_mode to 'code' because: it is time] Result:\nout", ("switch_mode", "out")),
        ("[read_file with missing path] Result:\nout", ("read_file", "out")),
        ("[read_file for 'a']\nFile: a\n1 | [b] Result:\nout", None),
        ("[TASK RESUMPTION] Go.\n<user_message>\nYou got [read_file for 'a'] Result:\nno.\n</user_message>", None),
        ("[build] is red. [test] Result: 3 failures. Why?", None),
        ("[build] Result:\n3 failures", None),
        ("[read_file for 'a'] Result: nothing.", None),
        ("Look: [read_file for 'a'] Result:\nout", None),
        ("[a_b for 'b", None),
    ],
)
def test_a_result_in_a_text_begins_with_the_name_of_a_tool(given: str, found: tuple[str, str] | None):
    assert result_in(given) == found


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def test_pictures_of_a_tool_are_of_its_result():
    record = read(
        task(
            message("assistant", call("c1", "browser_action", action="launch"), call("c2", "browser_action")),
            message("user", text("[browser_action for 'launch'] Result:"), text("Open."), PICTURE, text(ENVIRONMENT)),
            message("user", result("c2", "Open."), PICTURE, PICTURE, text(ENVIRONMENT)),
        )
    )
    assert said(record)[1:] == [
        ("tool", [(RESULT, "Open."), (IMAGE, None)]),
        ("system", [(CONTEXT, ENVIRONMENT)]),
        ("tool", [(RESULT, "Open."), (IMAGE, None), (IMAGE, None)]),
        ("system", [(CONTEXT, ENVIRONMENT)]),
    ]
    assert [part.tool_use_id for m in record.messages if m.role == "tool" for part in m.parts] == ["c1"] * 2 + [
        "c2"
    ] * 3


@pytest.mark.parametrize(
    "blocks",
    [
        [result("c1", [text("<answer>\nThis.\n</answer>"), PICTURE])],
        [result("c1", "<answer>\nThis.\n</answer>"), PICTURE],
        [text("[ask_followup_question for 'Which?'] Result:"), text("<answer>\nThis.\n</answer>"), PICTURE],
    ],
)
def test_pictures_that_the_user_attaches_to_an_answer_are_the_users(blocks: list[Any]):
    record = read(task(message("assistant", call("c1", "ask_followup_question")), message("user", *blocks)))
    assert said(record)[1:] == [
        ("tool", [(RESULT, "<answer>\nThis.\n</answer>")]),
        ("user", [(TEXT, "This."), (IMAGE, None)]),
    ]
    assert record.messages[-1].parts[1].tool_use_id is None


def test_pictures_behind_the_users_words_are_the_users():
    feedback = f"{FEEDBACK}\n<feedback>\nSo.\n</feedback>"
    record = read(
        task(
            message("user", text("<task>\nGo.\n</task>"), PICTURE, text(ENVIRONMENT)),
            message("user", text("[read_file for 'a'] Result:"), text("a"), text(feedback), PICTURE),
        )
    )
    assert said(record) == [
        ("user", [(TEXT, "Go."), (IMAGE, None), (CONTEXT, ENVIRONMENT)]),
        ("tool", [(RESULT, "a")]),
        ("user", [(CONTEXT, FEEDBACK), (TEXT, "So."), (IMAGE, None)]),
    ]
