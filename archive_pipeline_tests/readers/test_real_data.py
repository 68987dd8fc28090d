"""The readers against real exports, where ``ARCHIVE_REAL_DATA`` names a folder of them; counts are taken by hand."""

import os
from collections import Counter
from pathlib import Path

import pytest

from archive_pipeline.ingest.prepare import prepare
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
    "claude_code/claude_p/256ba646-2c15-437a-98e9-4171aafd030e.jsonl": (1, 8, 0),
    "claude_code/claude_p/29ccd257-68b1-427f-ae5f-6524b7cb6f20.jsonl": (1, 4, 0),
    "claude_code/claude_p/29ccd257-68b1-427f-ae5f-6524b7cb6f20/subagents/agent-a2271d1.jsonl": (1, 35, 0),
    "claude_code/claude_p/2b4ed4c0-b905-41de-9238-273db3ec737a.jsonl": (1, 20, 0),
    "claude_code/claude_p/94604a7b-062f-4369-bdf0-da948381c3e5.jsonl": (1, 2, 0),
    "claude_code/dag_cycle.jsonl": (1, 1, 0),
    "claude_code/dag_fork.jsonl": (1, 11, 0),
    "claude_code/dag_resume.jsonl": (1, 8, 0),
    "claude_code/dag_within_fork.jsonl": (1, 8, 0),
    "claude_code/edge_cases.jsonl": (1, 12, 0),
    "claude_code/ideas/03eb5929-52b3-4b13-ada3-b93ae35806b8.jsonl": (1, 21, 0),
    "claude_code/ideas/a95fea4a-b88a-4e49-ac07-4cc323d8700c.jsonl": (1, 0, 0),
    "claude_code/teich-example.jsonl": (1, 26, 0),
    "claude_code/worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1.jsonl": (1, 64, 0),
    "claude_code/worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1/subagents/agent-a36efb2a1231c41e2.jsonl": (1, 14, 0),
    "claude_code/worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1/subagents/agent-a4ca7529859c158c2.jsonl": (1, 45, 0),
    "claude_code/worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1/subagents/agent-a52886dc180afb356.jsonl": (1, 34, 0),
    "claude_code/worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1/subagents/agent-a6aa8ad077d9ea083.jsonl": (1, 12, 0),
    "claude_code/worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1/subagents/agent-ab1e6e141221a29ab.jsonl": (1, 33, 0),
    "claude_code/worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1/subagents/agent-aef063ba534d73153.jsonl": (1, 12, 0),
    # 28 answers, 22 results, 8 prompts, 3 notices to the model.
    "droid/teich-example.jsonl": (1, 61, 0),
    "oasst/en_100_tree.jsonl": (100, 1167, 0),
    # 74 of them without a parent.
    "oasst/realistic_seed_data.json": (74, 444, 0),
    # 200 policies, 1,490 prompts, 2,454 answers, 1,164 results.
    "openai_messages/tau-bench-gpt-4o-airline.json": (200, 5308, 0),
    "sharegpt/fastchat-dummy.json": (500, 2000, 0),
    # 746 prompts, 746 answers, 211 calls, 211 results.
    "sharegpt/glaive_toolcall_en_demo.json": (300, 1914, 0),
    "sharegpt/mllm_demo.json": (6, 24, 0),
    # 50 system prompts, 70 prompts, 112 answers, 42 results.
    "sharegpt/reason_tool_use_demo_50.jsonl": (50, 274, 0),
    # 157 answers, 144 results, 19 prompts.
    "pi/teich-example.jsonl": (1, 320, 0),
    # Answers, prompts that say something, system prompts where they change, results: 594 + 472 + 61 + 121.
    "llm_logs/logs_llm_0.27.1.db": (225, 1248, 0),
    # The same but for an answer without a word to a prompt without one, of which nothing is stored.
    "llm_logs/logs_llm_0.36.db": (225, 1247, 0),
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


def test_both_layouts_of_llm_say_the_same():
    def texts(name):
        said = [[(m.role, *(p.text for p in m.parts if p.text)) for m in each.messages] for each in dialogues(name)]
        return sorted(map(repr, filter(None, said)))

    earlier, later = texts("llm_logs/logs_llm_0.27.1.db"), texts("llm_logs/logs_llm_0.36.db")
    assert len(later) == 224
    assert set(later) <= set(earlier)


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


def test_a_session_of_droid_is_one_chain_also_past_an_id_that_is_there_twice():
    [record] = dialogues("droid/teich-example.jsonl")
    roles = Counter((message.role, message.is_hidden) for message in record.messages)
    assert roles == {("assistant", False): 28, ("tool", False): 22, ("user", False): 8, ("system", True): 3}
    calls, results = parts([record], "tool_use"), parts([record], "tool_result")
    assert (len(calls), len(results), len(parts([record], "thinking"))) == (22, 22, 28)
    assert {result.tool_use_id for result in results} - {call.tool_use_id for call in calls} == {"TodoWrite_1"}
    parents = [message.link.parent for message in prepare(record, b"").messages]
    assert parents == [None, *(message.source_id for message in record.messages[:-1])]
    assert record.warnings == {"unpaired_tool_result": 1}


def test_a_session_of_pi_has_its_calls_with_their_results_and_is_one_chain():
    [record] = dialogues("pi/teich-example.jsonl")
    roles = Counter(message.role for message in record.messages)
    assert roles == {"user": 19, "assistant": 157, "tool": 144}
    calls, results = parts([record], "tool_use"), parts([record], "tool_result")
    assert [call.tool_use_id for call in calls] == [result.tool_use_id for result in results]
    assert [call.tool_name for call in calls] == [result.tool_name for result in results]
    assert (len(parts([record], "thinking")), len(parts([record], "text")), len(parts([record], "image"))) == (
        156,
        69,
        1,
    )
    assert [message.state for message in record.messages].count("aborted") == 2
    parents = [message.link.parent for message in prepare(record, b"").messages]
    assert parents == [None, *(message.source_id for message in record.messages[:-1])]
    assert not record.warnings


def test_trials_of_tau_bench_are_chains_with_calls_and_results_in_pairs():
    records = dialogues("openai_messages/tau-bench-gpt-4o-airline.json")
    assert len({record.source_id for record in records}) == 200
    calls, results = parts(records, "tool_use"), parts(records, "tool_result")
    assert len(calls) == len(results) == 1164
    assert [(call.tool_use_id, call.tool_name) for call in calls] == [
        (result.tool_use_id, result.tool_name) for result in results
    ]
    assert not any(record.warnings for record in records)


def test_messages_of_llama_factory_have_thoughts_calls_and_pictures():
    records = dialogues("sharegpt/reason_tool_use_demo_50.jsonl")
    assert [len(parts(records, name)) for name in ("thinking", "tool_use", "tool_result", "text")] == [112, 68, 42, 179]
    pictures = [len(m.attachments) for record in dialogues("sharegpt/mllm_demo.json") for m in record.messages]
    assert sum(pictures) == 8


def test_calls_of_sharegpt_have_their_observations_and_equal_lines_are_one_dialogue():
    records = dialogues("sharegpt/glaive_toolcall_en_demo.json")
    calls, results = parts(records, "tool_use"), parts(records, "tool_result")
    assert len(calls) == len(results) == 211
    assert [(call.tool_use_id, call.tool_name) for call in calls] == [
        (result.tool_use_id, result.tool_name) for result in results
    ]
    # Three pairs of lines have other tools beside the same messages.
    assert len({record.source_id for record in records}) == 265
    assert len({record.messages[-1].source_id for record in records}) == 262


# Messages that several others follow: where the user went back, and what a fixture of many roots has.
FORKS = {
    "dag_fork": 1,
    "dag_within_fork": 1,
    "edge_cases": 1,
    "03eb5929-52b3-4b13-ada3-b93ae35806b8": 1,
}


def test_sessions_of_claude_code_branch_only_where_the_user_went_back():
    found = {}
    for record in dialogues("claude_code"):
        parents = Counter(message.link.parent for message in prepare(record, b"").messages)
        if forks := sum(count > 1 for count in parents.values()):
            found[record.source_id] = forks
    assert found == FORKS


def test_every_call_of_claude_code_has_its_result_and_every_subagent_its_session():
    records = dialogues("claude_code")
    assert len(records) == 20
    calls, results = parts(records, "tool_use"), parts(records, "tool_result")
    assert (len(calls), len(results)) == (172, 170)
    names = {call.tool_use_id: call.tool_name for call in calls}
    assert all(names[result.tool_use_id] == result.tool_name for result in results)
    subagents = [record.source_id for record in records if "-agent-" in record.source_id]
    sessions = {record.source_id for record in records}
    assert sum(name.partition("-agent-")[0] in sessions for name in subagents) == 7


def test_what_claude_code_puts_in_is_not_the_users():
    said = [
        part.text or ""
        for record in dialogues("claude_code")
        for message in record.messages
        if message.role == "user" and not message.is_hidden
        for part in message.parts
    ]
    assert len(said) == 41
    assert not [text for text in said if text.startswith(("<", "Caveat:"))]


@pytest.mark.parametrize("name", [name for name in COUNTS if name.startswith("codex/")])
def test_a_session_of_codex_that_ends_at_any_line_has_the_ids_of_the_whole(name, tmp_path):
    lines = (ROOT / name).read_text().splitlines(keepends=True)
    path = tmp_path / Path(name).name

    def ids(size):
        path.write_text("".join(lines[:size]))
        [record] = [item.record for file in read_paths([path]) for item in file.records()]
        return [message.source_id for message in record.messages]

    whole = ids(len(lines))
    for size in range(1, len(lines)):
        begun = ids(size)
        assert begun == whole[: len(begun)]
