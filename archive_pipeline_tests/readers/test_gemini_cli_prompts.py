"""What Gemini CLI writes in the user's name: files, its own words, and results of tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

from archive_pipeline.domain.records import LEFT_OUT_LINE, MessageRecord
from archive_pipeline.readers.left_out_lines import stand_in
from archive_pipeline_tests.readers.test_gemini_cli import CALL, of_lines, said

FILES = ["\n--- Content from referenced files ---", "\nContent from @a.py:\n", "x = 1", "\n--- End of content ---"]
EDITOR = "Here is the user's editor context as a JSON object. This is for your information only.\n```json\n{}\n```"


def parts_of(message: MessageRecord) -> list[tuple[str, str | None]]:
    return [(part.part_type.value, part.text) for part in message.parts]


def told(*texts: str) -> list[dict[str, str]]:
    return [{"text": text} for text in texts]


@pytest.mark.parametrize(
    ("content", "shown", "parts"),
    [
        (
            told("explain @a.py", *FILES),
            told("explain @a.py"),
            [("text", "explain @a.py"), *[("context", f) for f in FILES]],
        ),
        (told("explain @a.py", *FILES), None, [("text", "explain @a.py"), *[("context", f) for f in FILES]]),
        (
            "explain @a.py" + "".join(FILES) + "\nplease",
            None,
            [("text", "explain @a.py"), ("context", "".join(FILES)), ("text", "\nplease")],
        ),
        (told("Review all of it."), "/review", [("text", "/review"), ("context", "Review all of it.")]),
        (told("a", "b"), "ab", [("text", "a"), ("text", "b")]),
        (told(EDITOR, "go"), None, [("context", EDITOR), ("text", "go")]),
        (
            told("go", "<hook_context>now</hook_context>"),
            " ",
            [("text", "go"), ("context", "<hook_context>now</hook_context>")],
        ),
    ],
)
def test_the_text_of_a_prompt_is_what_the_user_typed(content: Any, shown: Any, parts: list[tuple[str, str]]):
    [message] = of_lines(said("u", "user", content, displayContent=shown)).messages
    assert (message.role, message.is_hidden, parts_of(message)) == ("user", False, parts)


@pytest.mark.parametrize("text", ["\n<session_context>\nx", EDITOR, "<scratchpad>x</scratchpad><state_snapshot>y"])
def test_a_message_of_nothing_else_than_what_is_put_in_is_hidden(text: str):
    [message] = of_lines(said("u", "user", told(text))).messages
    assert (message.role, message.is_hidden, parts_of(message)) == ("system", True, [("context", text)])


def test_the_model_may_say_what_the_program_says():
    words = "Got it. Thanks for the additional context!"
    assert [m.role for m in of_lines(said("a", "gemini", words, model="m"), said("b", "gemini", words)).messages] == [
        "assistant",
        "system",
    ]


def test_a_result_that_no_call_has_is_a_message_of_the_tool():
    record = of_lines(said("a", "gemini", "", toolCalls=[CALL | {"result": None}]), said("r", "user", CALL["result"]))
    assert [(m.role, parts_of(m)) for m in record.messages] == [
        ("assistant", [("tool_use", None)]),
        ("tool", [("tool_result", "# A")]),
    ]


def test_calls_and_results_that_stand_there_twice_are_read_once():
    second = {"functionResponse": {"id": "read_2", "name": "read_file", "response": {"output": "# B"}}}
    both = [*CALL["result"], second]
    calls = [CALL | {"result": both}, CALL | {"id": "read_2", "result": both}]
    content = [{"text": "I look."}, {"functionCall": {"id": "read_2", "name": "read_file"}}]
    answer, prompt = of_lines(
        said("a", "gemini", content, toolCalls=calls), said("u", "user", [*both, {"text": "go on"}])
    ).messages
    assert [(part.part_type.value, part.tool_use_id, part.text) for part in answer.parts] == [
        ("text", None, "I look."),
        ("tool_use", "read_1", None),
        ("tool_result", "read_1", "# A"),
        ("tool_use", "read_2", None),
        ("tool_result", "read_2", "# B"),
    ]
    assert (prompt.role, parts_of(prompt), prompt.source["content"]) == ("user", [("text", "go on")], both)


def test_a_left_out_result_of_a_tool_is_no_prompt():
    left_out = json.loads(stand_in(said("r", "user", CALL["result"]), LEFT_OUT_LINE, "line 3"))
    assert [m.source_id for m in of_lines(said("u", "user", "one"), left_out, said("a", "gemini", "1")).messages] == [
        "u",
        "a",
    ]
