"""Messages of LangChain, as LangSmith and Langfuse log them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from archive_pipeline_tests.readers.spans import dialogue, observation, texts

Fields = dict[str, Any]


def serialised(name: str, **kwargs: Any) -> Fields:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": kwargs}


def run(number: int, given: list[Fields], answered: Fields, text: str) -> Fields:
    return {
        "id": f"r{number}",
        "run_type": "llm",
        "trace_id": "t",
        "start_time": f"2025-01-01 10:00:0{number}",
        "inputs": {"messages": [given]},
        "outputs": {"generations": [[{"text": text, "type": "ChatGeneration", "message": answered}]]},
    }


def test_ids_of_messages_and_paths_of_classes_have_one_name(tmp_path: Path):
    question = serialised("HumanMessage", content="which city?", type="human", id="h-1")
    answer = serialised("AIMessage", content="Paris", type="ai", id="run-1-0", tool_calls=[])
    repeated = serialised("AIMessage", content="Paris", type="ai")
    more = serialised("HumanMessage", content="and then?", type="human", id="h-2")
    last = serialised("AIMessage", content="Rome", type="ai", id="run-2-0")
    record = dialogue(tmp_path, run(1, [question], answer, "Paris"), run(2, [question, repeated, more], last, "Rome"))
    assert texts(record) == [
        (None, "user", ["which city?"]),
        (0, "assistant", ["Paris"]),
        (1, "user", ["and then?"]),
        (2, "assistant", ["Rome"]),
    ]
    assert [message.source["id"] for message in record.messages] == ["h-1", "run-1-0", "h-2", "run-2-0"]
    assert record.messages[0].source["lc_id"][-1] == "HumanMessage"
    assert not record.warnings


def test_a_role_beside_the_one_that_the_class_says_is_kept(tmp_path: Path):
    question = serialised("HumanMessage", content="which city?", role="guest")
    [asked, _] = dialogue(tmp_path, run(1, [question], serialised("AIMessage", content="Paris"), "Paris")).messages
    assert (asked.role, asked.source["beside"]["role"]) == ("user", "guest")


def test_an_answer_that_came_in_chunks_is_the_assistants(tmp_path: Path):
    question = serialised("HumanMessage", content="which city?", type="human")
    answer = serialised("AIMessageChunk", content="Paris", type="AIMessageChunk", id="run-1")
    record = dialogue(tmp_path, run(1, [question], answer, "Paris"), run(2, [question, answer, question], answer, ""))
    assert [(parent, role) for parent, role, _ in texts(record)] == [
        (None, "user"),
        (0, "assistant"),
        (1, "user"),
        (2, "assistant"),
    ]


USER = {"role": "user", "content": "weather?"}
FUNCTION = {"id": "k", "type": "function", "function": {"name": "w", "arguments": '{"city":"X"}'}}
ANSWERED = {"role": "assistant", "content": "", "additional_kwargs": {"tool_calls": [FUNCTION], "refusal": "no"}}
REPEATED = {"role": "assistant", "content": "", "tool_calls": [{"name": "w", "args": {"city": "X"}, "id": "k"}]}


@pytest.mark.parametrize(
    "result",
    [
        {"role": "w", "content": "20", "tool_call_id": "k"},
        {"role": "w", "content": "20", "additional_kwargs": {}},
        {"role": "w", "content": "20", "name": "w", "tool_call_id": "k"},
    ],
)
def test_calls_and_tools_are_read_where_handlers_put_them(result: Fields, tmp_path: Path):
    said = {"role": "assistant", "content": "20 degrees"}
    value = [observation(1, [USER], ANSWERED), observation(2, [USER, REPEATED, result], said)]
    record = dialogue(tmp_path, *value)
    assert texts(record) == [
        (None, "user", ["weather?"]),
        (0, "assistant", [None]),
        (1, "tool", ["20"]),
        (2, "assistant", ["20 degrees"]),
    ]
    use, told = record.messages[1].parts[0], record.messages[2].parts[0]
    assert (use.tool_name, use.tool_use_id, told.tool_name, told.tool_use_id) == ("w", "k", "w", "k")
    assert record.messages[1].source["additional_kwargs"] == {"refusal": "no"}
    assert not record.warnings
