"""What Claude.ai's exports of 2025 and 2026 have: branches, summaries, web search, artifacts with versions."""

from __future__ import annotations

import pytest

from archive_pipeline.domain.records import DialogueRecord
from archive_pipeline.readers.claude_ai import artifacts
from archive_pipeline.readers.claude_ai.dialogue import read_conversation

ROOT = "00000000-0000-4000-8000-000000000000"


def message(uuid, parent=None, sender="assistant", *blocks):
    value = {"uuid": uuid, "sender": sender, "text": "", "content": list(blocks)}
    return value if parent is None else value | {"parent_message_uuid": parent}


def dialogue(*messages, **fields):
    record = read_conversation({"uuid": "c", "name": "N", "chat_messages": list(messages), **fields}, "f[0]")
    assert isinstance(record, DialogueRecord)
    return record


def text(value):
    return {"type": "text", "text": value}


def artifact(command, **fields):
    return {"type": "tool_use", "id": None, "name": "artifacts", "input": {"id": "a", "command": command, **fields}}


def versions(message):
    return [(part.text, part.source["version"]) for part in message.parts if part.part_type.value == "artifact"]


def test_interleaved_branches_hang_on_their_parents():
    record = dialogue(
        message("q", ROOT, "human", text("q")),
        message("a1", "q", "assistant", text("one")),
        message("a2", "q", "assistant", text("two")),
        message("q2", "a1", "human", text("more")),
    )
    assert [m.parent_source_id for m in record.messages] == [None, "q", "q", "a1"]
    assert record.vintage == "full"


@pytest.mark.parametrize("messages", [(message("q", None, "human", text("q")),), ()])
def test_an_export_without_parents_is_linear(messages):
    assert dialogue(*messages).vintage == "linear"


@pytest.mark.parametrize(
    ("fields", "project"), [({"project": {"uuid": "p"}}, "p"), ({"project_uuid": "p"}, "p"), ({"project": "p"}, None)]
)
def test_the_project_is_taken_where_a_copy_of_the_web_api_has_it(fields, project):
    assert dialogue(**fields).project_id == project


def test_a_thought_of_which_only_summaries_are_there_says_those():
    block = {"type": "thinking", "thinking": "", "summaries": [{"summary": "a"}, {"summary": "b"}], "cut_off": True}
    [part] = dialogue(message("m", None, "assistant", block)).messages[0].parts
    assert (part.text, part.source) == ("a\n\nb", {"summaries": block["summaries"], "cut_off": True})


def test_a_web_search_without_ids_has_its_pages_and_citations():
    page = {"type": "knowledge", "title": "Locks", "url": "https://l.org", "metadata": {"site": "l"}}
    found = {"type": "tool_result", "tool_use_id": None, "name": "web_search", "content": [page], "is_error": False}
    citation = {"start_index": 1, "end_index": 4, "details": {"type": "web_search_citation", "url": "https://l.org"}}
    call = {"type": "tool_use", "id": None, "name": "web_search", "input": {"query": "locks"}}
    parts = dialogue(message("m", None, "assistant", call, found, text("As said.") | {"citations": [citation]}))
    used, result, said, knowledge, cited = parts.messages[0].parts
    assert (used.tool_use_id, result.tool_use_id, knowledge.tool_use_id) == ("toolu-m-0",) * 3
    assert (result.text, result.source) == ("Locks\nhttps://l.org", {"content": [page]})
    assert (knowledge.part_type.value, knowledge.text, knowledge.uri) == ("citation", "Locks", "https://l.org")
    assert (said.text, said.source) == ("As said.", {"citations": [citation]})
    assert (cited.uri, cited.source) == ("https://l.org", {"start_index": 1, "end_index": 4})


def test_each_call_of_the_artifact_tool_makes_a_version():
    made = artifact("create", content="Dear all", title="Letter", type="text/markdown", language="en")
    record = dialogue(
        message("m", None, "assistant", made),
        message("n", None, "assistant", artifact("update", old_str="all", new_str="both", version_uuid="v2")),
        message("o", None, "assistant", artifact("rewrite", content="Dear none")),
        message("p", None, "assistant", artifact("update", old_str="all", new_str="x")),
    )
    assert [versions(m) for m in record.messages] == [
        [("Dear all", 1)], [("Dear both", 2)], [("Dear none", 3)], [(None, 4)],
    ]  # fmt: skip
    part = record.messages[1].parts[-1]
    assert (part.uri, part.source_type, part.language, part.tool_use_id) == ("a", "update", "en", "toolu-n-0")
    assert part.source == {"version": 2, "title": "Letter", "type": "text/markdown", "version_uuid": "v2"}
    assert record.warnings == {artifacts.UNKNOWN_VERSION: 1}


def test_versions_go_on_from_the_branch_they_are_on():
    record = dialogue(
        message("m", ROOT, "assistant", artifact("create", content="x one")),
        message("n", "m", "assistant", artifact("update", old_str="one", new_str="two")),
        message("o", "m", "assistant", artifact("update", old_str="one", new_str="three")),
        message("p", "n", "assistant", artifact("update", old_str="two", new_str="four")),
    )
    assert [versions(m) for m in record.messages] == [[("x one", 1)], [("x two", 2)], [("x three", 2)], [("x four", 3)]]


def test_a_message_without_blocks_keeps_the_versions_before_it():
    plain = {"uuid": "n", "sender": "human", "text": "go on", "parent_message_uuid": "m"}
    record = dialogue(
        message("m", ROOT, "assistant", artifact("create", content="x one")),
        plain,
        message("o", "n", "assistant", artifact("update", old_str="one", new_str="two")),
    )
    assert [versions(m) for m in record.messages] == [[("x one", 1)], [], [("x two", 2)]]


def test_a_version_is_of_its_branch_wherever_its_parent_stands_in_the_array():
    record = dialogue(
        message("q", ROOT, "human", text("make")),
        message("b", "q", "assistant", artifact("create", content="X two")),
        message("a2", "a1u", "assistant", artifact("update", old_str="X", new_str="Y")),
        message("a1u", "a1", "human", text("go on")),
        message("a1", "q", "assistant", artifact("create", content="X one")),
        message("c", "gone", "assistant", artifact("update", old_str="X", new_str="Z")),
    )
    assert [m.source_id for m in record.messages] == ["q", "b", "a2", "a1u", "a1", "c"]
    assert [versions(m) for m in record.messages] == [
        [],
        [("X two", 1)],
        [("Y one", 2)],
        [],
        [("X one", 1)],
        [(None, 1)],
    ]
    assert record.warnings == {artifacts.UNKNOWN_VERSION: 1}


def test_parents_in_a_circle_end():
    record = dialogue(message("a", "b", "human", text("one")), message("b", "a", "assistant", text("two")))
    assert [m.source_id for m in record.messages] == ["a", "b"]


def test_the_texts_of_versions_are_bounded(monkeypatch):
    monkeypatch.setattr(artifacts, "MAX_CHARACTERS", 10)
    record = dialogue(
        message("m", None, "assistant", artifact("create", content="12345678")),
        message("n", None, "assistant", artifact("update", old_str="8", new_str="9")),
    )
    assert [versions(m) for m in record.messages] == [[("12345678", 1)], [(None, 2)]]
    assert record.warnings == {artifacts.LONG_ARTIFACT: 1}
    assert record.messages[1].parts[0].tool_input["new_str"] == "9"


def test_no_more_than_some_artifacts_are_known_at_once(monkeypatch):
    monkeypatch.setattr(artifacts, "MAX_ARTIFACTS", 1)
    record = dialogue(
        message("m", None, "assistant", artifact("create", content="a")),
        message("n", None, "assistant", artifact("create", content="b") | {"input": {"id": "b", "content": "b"}}),
        message("o", None, "assistant", artifact("update", old_str="a", new_str="c")),
    )
    assert [versions(m) for m in record.messages] == [[("a", 1)], [("b", 1)], [(None, 1)]]


@pytest.mark.parametrize("arguments", [None, "x", {}, {"command": "create", "content": "c"}])
def test_a_call_that_names_no_artifact_makes_no_version(arguments):
    call = {"type": "tool_use", "name": "artifacts", "input": arguments}
    [part] = dialogue(message("m", None, "assistant", call)).messages[0].parts
    assert (part.part_type.value, part.tool_input) == ("tool_use", arguments)
