"""DeepSeek's conversations: fragments, branches, thinking, search, files, and the shape before fragments."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, PartType
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.deepseek import read_conversation
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise

FOUND = {"url": "https://a.example", "title": "A", "snippet": "about a", "cite_index": 1}


def said(*fragments: dict[str, Any], **more: Any) -> dict[str, Any]:
    message = {"files": [], "model": "deepseek-chat", "inserted_at": "2026-02-03T12:00:00+08:00"}
    return {**message, "fragments": list(fragments), **more}


def fragment(kind: str, content: str | None = None, **more: Any) -> dict[str, Any]:
    return {"type": kind, **({} if content is None else {"content": content}), **more}


def conversation(messages: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """A conversation: a root without a message, and below it messages by id, each with its parent."""
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "message": None, "children": []}}
    for key, (parent, message) in messages.items():
        mapping[key] = {"id": key, "parent": parent, "message": message, "children": []}
        mapping[parent]["children"].append(key)
    times = {"inserted_at": "2026-02-03T12:00:00+08:00", "updated_at": "2026-02-03T12:05:00+08:00"}
    return {"id": "c", "title": "T", **times, "mapping": mapping}


BRANCHED = conversation(
    {
        "1": ("root", said(fragment("REQUEST", "why?"))),
        "2": ("1", said(fragment("THINK", "hm", elapsed_secs=3), fragment("RESPONSE", "because"))),
        "3": ("1", said(fragment("RESPONSE", "no reason"), status="INCOMPLETE")),
        "4": ("2", said(fragment("FILE", "text of it", file_id="f", file_name="a.pdf"), fragment("REQUEST", "look"))),
        "5": ("4", said(fragment("SEARCH", results=[FOUND]), fragment("RESPONSE", "found [citation:1]"))),
    }
)


def read(value: dict[str, Any]) -> DialogueRecord:
    record = read_conversation(value, "conversations.json[0]")
    assert isinstance(record, DialogueRecord)
    return record


def test_children_make_the_tree_where_no_node_has_a_parent():
    value = conversation(
        {
            "1": ("root", said(fragment("REQUEST", "why?"))),
            "2": ("1", said(fragment("RESPONSE", "because"))),
            "3": ("1", said(fragment("RESPONSE", "no reason"))),
        }
    )
    for node in value["mapping"].values():
        del node["parent"]
    record = read(value)
    assert [m.parent_source_id for m in record.messages] == ["root", "1", "1"]
    assert (record.is_linear_source, record.warnings) == (False, {})
    assert "1" not in record.source_json.get("mapping", {})
    for node in value["mapping"].values():
        del node["children"]
    record = read(value)
    assert (record.is_linear_source, record.warnings) == (True, {"no_parent_pointers": 1})


@pytest.mark.parametrize("has_parents", [True, False])
def test_nodes_are_found_by_their_ids_too(*, has_parents: bool):
    value = {**BRANCHED, "current_message_id": "5"}
    nodes = value["mapping"].items()
    kept = {"children"} if not has_parents else {"parent"}
    value["mapping"] = {f"key {key}": {k: node[k] for k in {"id", "message", *kept}} for key, node in nodes}
    record = read(value)
    assert [(m.source_id, m.parent_source_id) for m in record.messages] == [
        ("key 1", "key root"),
        ("key 2", "key 1"),
        ("key 3", "key 1"),
        ("key 4", "key 2"),
        ("key 5", "key 4"),
    ]
    assert (record.active_source_id, record.warnings) == ("key 5", {})
    assert record.source_json["mapping"]["key 4"] == {"id": "4"}
    assert [m.role for m in record.messages] == [m.role for m in read(BRANCHED).messages]


def test_a_content_that_is_no_text_stays_where_it_was_and_is_counted():
    record = read(conversation({"1": ("root", said({"type": "RESPONSE", "content": {"x": 1}}))}))
    assert record.warnings == {"malformed_text": 1}
    assert record.messages[0].parts[0].source == {"content": {"x": 1}}


def test_a_branched_conversation_is_read_whole():
    record = read(BRANCHED)
    assert (record.source, record.source_id, record.title) == ("deepseek", "c", "T")
    assert record.created_at == datetime(2026, 2, 3, 4, 0, tzinfo=UTC)
    assert [(m.source_id, m.parent_source_id, m.role) for m in record.messages] == [
        ("1", "root", "user"),
        ("2", "1", "assistant"),
        ("3", "1", "assistant"),
        ("4", "2", "user"),
        ("5", "4", "assistant"),
    ]
    assert [[(p.part_type.value, p.text) for p in m.parts] for m in record.messages] == [
        [("text", "why?")],
        [("thinking", "hm"), ("text", "because")],
        [("text", "no reason")],
        [("file", None), ("text", "look")],
        [("tool_use", None), ("tool_result", "A\nhttps://a.example\nabout a"), ("text", "found [citation:1]")],
    ]
    assert [m.state for m in record.messages] == ["complete", "complete", "aborted", "complete", "complete"]
    assert [m.model for m in record.messages] == [None, "deepseek-chat", "deepseek-chat", None, "deepseek-chat"]
    [file] = record.messages[3].attachments
    assert (file.source_id, file.file_name, file.extracted_text) == ("f", "a.pdf", "text of it")
    assert not record.warnings


def test_every_leaf_has_its_parents_when_it_is_imported():
    dialogue = prepare(read(BRANCHED), json.dumps(BRANCHED).encode())
    parents = {message.source_id: message.link.parent for message in dialogue.messages}
    assert parents == {"1": None, "2": "1", "3": "1", "4": "2", "5": "4"}
    assert not dialogue.counts


def test_a_call_and_its_result_share_an_id_and_what_was_asked_is_the_input():
    value = conversation({"1": ("root", said(fragment("TOOL_SEARCH", queries=["q"], results=[FOUND])))})
    use, result = read(value).messages[0].parts
    assert (use.part_type, use.tool_name, use.tool_input) == (PartType.TOOL_USE, "tool_search", {"queries": ["q"]})
    assert (result.part_type, result.tool_use_id) == (PartType.TOOL_RESULT, use.tool_use_id)
    assert result.source == {"results": [FOUND]}


def test_the_letter_case_of_types_does_not_matter():
    value = conversation(
        {
            "1": ("root", said(fragment("request", "q"), fragment("file", "text of it", file_id="f"))),
            "2": ("1", said(fragment("Think", "hm"), fragment("search", results=[FOUND]), fragment("response", "a"))),
            "3": ("2", said(fragment("RESPONSE", "b"), role="User")),
        }
    )
    record = read(value)
    assert [m.role for m in record.messages] == ["user", "assistant", "user"]
    assert [[(p.part_type.value, p.source_type) for p in m.parts] for m in record.messages] == [
        [("text", "request"), ("file", "file")],
        [("thinking", "Think"), ("tool_use", "search"), ("tool_result", "search"), ("text", "response")],
        [("text", "RESPONSE")],
    ]
    assert not record.warnings


def test_a_fragment_of_an_unknown_type_is_kept_and_counted():
    record = read(conversation({"1": ("root", said(fragment("REQUEST", "q"), fragment("TIP", "new")))}))
    assert record.warnings == {"unknown_part:TIP": 1}
    assert record.messages[0].parts[1].source == {"type": "TIP", "content": "new"}


EARLY = {"files": [], "model": "deepseek-reasoner", "inserted_at": "2025-03-30T04:49:37+08:00"}


def test_before_fragments_who_speaks_follows_from_the_place():
    value = conversation(
        {
            "1": ("root", {**EARLY, "content": "q"}),
            "2": ("1", {**EARLY, "content": "a", "reasoning_content": "hm", "search_results": [FOUND]}),
            "3": ("2", {**EARLY, "content": "q2"}),
            "4": ("1", {**EARLY, "content": "again"}),
        }
    )
    record = read(value)
    assert recognise(value).source == "deepseek"
    assert [m.role for m in record.messages] == ["user", "assistant", "user", "assistant"]
    assert [p.part_type.value for p in record.messages[1].parts] == ["thinking", "tool_use", "tool_result", "text"]


@pytest.mark.parametrize("order", list(permutations(["1", "blank", "2"])), ids=" ".join)
def test_who_speaks_does_not_depend_on_the_order_of_the_nodes(order: tuple[str, ...]):
    blank: Any = None
    value = conversation(
        {
            "1": ("root", said(fragment("REQUEST", "q"))),
            "blank": ("1", blank),
            "2": ("blank", {**EARLY, "content": "a"}),
        }
    )
    value["mapping"] = {key: value["mapping"][key] for key in ("root", *order)}
    assert {m.source_id: m.role for m in read(value).messages} == {"1": "user", "2": "assistant"}


def test_a_cycle_of_parents_ends():
    value = conversation({"1": ("root", {**EARLY, "content": "a"}), "2": ("1", {**EARLY, "content": "b"})})
    value["mapping"]["1"]["parent"] = "2"
    assert {m.role for m in read(value).messages} == {"user", "assistant"}


def test_an_unknown_role_is_never_taken_for_the_user_or_the_model():
    record = read(conversation({"1": ("root", said(fragment("REQUEST", "x"), role="CRITIC"))}))
    assert (record.messages[0].role, record.warnings["unknown_role"]) == ("system", 1)


@pytest.mark.parametrize("is_empty", [True, False])
def test_an_export_is_deepseeks_and_not_chatgpts(tmp_path: Path, *, is_empty: bool):
    value = conversation({}) if is_empty else BRANCHED
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([value]))
    [file] = read_paths([path])
    [item] = file.records()
    assert isinstance(item, ReadDialogue)
    assert (file.source, item.record.source) == ("deepseek", "deepseek")
