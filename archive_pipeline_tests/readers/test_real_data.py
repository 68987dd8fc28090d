"""The readers against real exports, where ``ARCHIVE_REAL_DATA`` names a folder of them; counts are taken by hand."""

import os
from pathlib import Path

import pytest

from archive_pipeline.readers.reading import ReadDialogue, read_paths

ROOT = Path(os.environ.get("ARCHIVE_REAL_DATA", "/nonexistent"))
pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif("ARCHIVE_REAL_DATA" not in os.environ, reason="ARCHIVE_REAL_DATA is not set"),
]

# dialogues, messages, rejected
COUNTS = {
    "chatgpt/code-interpreter.json": (1, 44, 0),
    "chatgpt/convonaut-parent-only.json": (7, 35, 0),
    "chatgpt/librechat-citations.json": (1, 2, 0),
    "chatgpt/librechat-export.json": (2, 21, 0),
    "chatgpt/librechat-modern.json": (2, 7, 1),
    "chatgpt/librechat-tree.json": (1, 12, 0),
    "chatgpt/no-content-type.json": (5, 20, 0),
    "chatgpt/thinking-summaries-single.json": (1, 14, 0),
    "claude_ai/claude-bakery-chat.json": (1, 4, 0),
    "claude_ai/conversation-rendering-tests.json": (1, 10, 0),
    "claude_ai/conversation-with-errors.json": (1, 10, 0),
    "claude_ai/conversations-multiple-errors.json": (4, 4, 1),
    "claude_ai/conversations.json": (2, 6, 0),
    "claude_ai/simple-invalid.json": (0, 0, 1),
    "claude_ai/samples/api.json": (1, 2, 0),
    "claude_ai/samples/business-strategy.json": (1, 6, 0),
    "claude_ai/samples/cooking.json": (1, 6, 0),
    "claude_ai/samples/creative-writing.json": (1, 6, 0),
    "claude_ai/samples/data.json": (1, 2, 0),
    "claude_ai/samples/debugging.json": (1, 4, 0),
    "claude_ai/samples/history.json": (1, 6, 0),
    "claude_ai/samples/math-tutoring.json": (1, 4, 0),
    "claude_ai/samples/python.json": (1, 4, 0),
    "claude_ai/samples/webdev.json": (1, 2, 0),
    "codex/functions_exec_multiple.jsonl": (1, 2, 0),
    "codex/interleaved_stream.jsonl": (1, 7, 0),
    "codex/teich-example.jsonl": (1, 35, 0),
    "codex/tool_call_stream.jsonl": (1, 4, 0),
}


def dialogues(name):
    return [
        item.record for file in read_paths([ROOT / name]) for item in file.records() if isinstance(item, ReadDialogue)
    ]


def parts(records, part_type):
    return [p for record in records for m in record.messages for p in m.parts if p.part_type == part_type]


@pytest.mark.parametrize("name", COUNTS)
def test_each_file_holds_what_a_person_counts_in_it(name):
    [file] = read_paths([ROOT / name])
    items = list(file.records())
    records = [item.record for item in items if isinstance(item, ReadDialogue)]
    messages = sum(len(record.messages) for record in records)
    assert (len(records), messages, len(items) - len(records)) == COUNTS[name]
    assert not any(record.warnings.get("bad_timestamp") for record in records)


def test_every_code_call_has_its_execution_output():
    records = dialogues("chatgpt/code-interpreter.json")
    calls, results = parts(records, "tool_use"), parts(records, "tool_result")
    assert len(calls) == 11
    assert [call.tool_use_id for call in calls] == [result.tool_use_id for result in results]
    assert {call.tool_name for call in calls} == {"python"}


def test_a_broken_fragment_keeps_its_dangling_pointers():
    [record] = dialogues("chatgpt/librechat-citations.json")
    assert record.messages[0].parent_source_id.startswith("5cc5e87b")
    assert record.active_source_id.startswith("88a0cf9f")


def test_the_tree_keeps_its_two_branch_points():
    [record] = dialogues("chatgpt/librechat-tree.json")
    parents = [message.parent_source_id for message in record.messages]
    assert sorted(parents.count(parent) for parent in set(parents))[-2:] == [2, 2]


def test_artifacts_are_tool_calls_and_files_are_named_once():
    assert [p.tool_name for p in parts(dialogues("claude_ai/samples/cooking.json"), "tool_use")] == ["artifacts"] * 2
    [bakery] = dialogues("claude_ai/claude-bakery-chat.json")
    assert [len(m.attachments) for m in bakery.messages] == [1, 0, 0, 0]
    assert bakery.messages[0].parent_source_id is None
    assert bakery.messages[1].model == "claude-3-5-sonnet-20240620"


def test_a_session_of_codex_has_its_calls_with_their_outputs_and_says_nothing_twice():
    [record] = dialogues("codex/teich-example.jsonl")
    roles = [message.role for message in record.messages]
    assert {role: roles.count(role) for role in roles} == {"system": 2, "user": 1, "assistant": 14, "tool": 18}
    calls, results = parts([record], "tool_use"), parts([record], "tool_result")
    assert len(calls) == 18
    assert sorted(call.tool_use_id for call in calls) == sorted(result.tool_use_id for result in results)
    assert len(parts([record], "thinking")) == 3
    assert len(parts([record], "text")) == 8
    assert len({message.source_id for message in record.messages}) == 35
    assert {message.model for message in record.messages if message.role == "assistant"} == {"openai/gpt-5.5"}
    assert not record.warnings
