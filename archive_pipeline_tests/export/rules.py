"""What consumers that are too large to install ask of their formats, as checks of one line, with their places."""

from __future__ import annotations

import json
import re
from typing import Any


def check_openai(row: dict[str, Any]) -> None:
    """OpenAI: keys and roles, weights 0 or 1, results right behind their calls, an answer to train.

    From the guide to fine-tuning (chat format, `weight`, tools), and the checks of the cookbook's notebook
    `Chat_finetuning_data_prep`: no unknown key or role, content that is text, an answer in each example.
    """
    assert set(row) <= {"messages", "tools"}
    open_calls: list[str] = []
    for message in row["messages"]:
        keys = {"role", "content"} | {
            "assistant": {"tool_calls", "weight"},
            "tool": {"tool_call_id"},
        }.get(message["role"], set())
        assert set(message) <= keys, message
        assert isinstance(message["content"], str)
        assert message["content"] or message.get("tool_calls") or message["role"] == "tool"
        assert message.get("weight", 0) == 0
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
            continue
        assert not open_calls, "a call without a result"
        for call in message.get("tool_calls", []):
            assert set(call) == {"id", "type", "function"}
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            open_calls.append(call["id"])
            assert call["function"]["name"] in {tool["function"]["name"] for tool in row["tools"]}
        for tool in row.get("tools", []):
            check_schema(tool["function"]["parameters"])
    assert row["messages"][-1]["role"] == "assistant"
    assert any(message["role"] == "assistant" and "weight" not in message for message in row["messages"])


def check_schema(schema: dict[str, Any]) -> None:
    """OpenAI: a schema of arrays says what they hold ("array schema missing items")."""
    assert "array" not in schema.get("type", ()) or "items" in schema
    for inner in [*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])]:
        check_schema(inner)


def check_sharegpt(row: dict[str, Any]) -> None:
    """LLaMA-Factory: one side and then the other, an even number of messages, calls and tools as JSON.

    From `src/llamafactory/data/converter.py` (`SharegptDatasetConverter`: which tags may stand at odd and even places,
    and that other examples are skipped), and `formatter.py` (`FunctionFormatter`: calls are an object or a list of
    them, each with `name` and `arguments`, behind a thought in `<think>`; `ToolFormatter`: tools are a list).
    """
    assert set(row) <= {"conversations", "system", "tools"}
    sides = ({"human", "observation"}, {"gpt", "function_call"})
    assert len(row["conversations"]) % 2 == 0
    for number, message in enumerate(row["conversations"]):
        assert set(message) == {"from", "value"}
        assert message["from"] in sides[number % 2]
        if message["from"] == "function_call":
            calls = json.loads(re.sub(r"<think>.*?</think>", "", message["value"], count=1, flags=re.DOTALL))
            assert all(
                call["name"] and isinstance(call["arguments"], dict)
                for call in (calls if isinstance(calls, list) else [calls])
            )
    assert all("name" in tool for tool in json.loads(row.get("tools", "[]")))
