"""Messages of LangChain, as LangSmith and Langfuse log them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from archive_pipeline_tests.readers.spans import dialogue, texts

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
