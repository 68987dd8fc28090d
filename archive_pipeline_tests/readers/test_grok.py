"""Grok's conversations: wrappers, branches, senders, thoughts, search, pictures, files, and what is beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.grok.dialogue import read_conversation
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise

FOUND = {"url": "https://a.example", "title": "A", "preview": "about a"}


def said(name: str, parent: str | None, sender: str, message: object, **more: Any) -> dict[str, Any]:
    response = {
        "_id": name,
        "conversation_id": "c",
        "parent_response_id": parent,
        "sender": sender,
        "message": message,
        "create_time": {"$date": {"$numberLong": "1775718694833"}},
        "model": "grok-4",
        **more,
    }
    return {"response": response, "share_link": None}


def conversation(*responses: Any, **more: Any) -> dict[str, Any]:
    about = {"id": "c", "title": "T", "create_time": "2026-04-09T07:11:34.833Z", "modify_time": "2026-04-09T08:00:00Z"}
    return {"conversation": {**about, **more}, "responses": list(responses)}


BRANCHED = conversation(
    said("r1", None, "human", "why?", file_attachments=["asset-1"]),
    said("r2", "r1", "ASSISTANT", "because", thinking_trace="hm", web_search_results=[FOUND], query="why"),
    said("r3", "r1", "grok-4", "no reason", partial=True),
    said("r4", "r2", "human", "draw it"),
    said("r5", "r4", "assistant", "", generated_image_urls=["users/u/image.jpg"], steps=[{"tags": ["x"]}]),
    leaf_response_id="r5",
)


def read(value: dict[str, Any]) -> DialogueRecord:
    record = read_conversation(value, "prod-grok-backend.json[0]")
    assert isinstance(record, DialogueRecord)
    return record


def test_what_is_no_text_stays_where_it_was_and_is_counted():
    record = read(
        conversation(said("r1", None, "human", {"x": 1}, thinking_trace=["hm"]), said("r2", None, "grok", "a"))
    )
    assert record.warnings == {"malformed_text": 2, "no_parent_pointers": 1}
    assert record.messages[0].source["response"]["message"] == {"x": 1}


def test_a_branched_conversation_is_read_whole():
    record = read(BRANCHED)
    assert (record.source, record.source_id, record.title, record.active_source_id) == ("grok", "c", "T", "r5")
    assert record.updated_at == datetime(2026, 4, 9, 8, 0, tzinfo=UTC)
    assert record.messages[0].created_at == datetime(2026, 4, 9, 7, 11, 34, 833000, tzinfo=UTC)
    assert [(m.source_id, m.parent_source_id, m.role, m.state) for m in record.messages] == [
        ("r1", None, "user", "complete"),
        ("r2", "r1", "assistant", "complete"),
        ("r3", "r1", "assistant", "aborted"),
        ("r4", "r2", "user", "complete"),
        ("r5", "r4", "assistant", "complete"),
    ]
    assert [[(p.part_type.value, p.text) for p in m.parts] for m in record.messages] == [
        [("text", "why?")],
        [
            ("thinking", "hm"),
            ("tool_use", None),
            ("tool_result", "A\nhttps://a.example\nabout a"),
            ("text", "because"),
        ],
        [("text", "no reason")],
        [("text", "draw it")],
        [("image", None)],
    ]
    use, result = record.messages[1].parts[1:3]
    assert use.tool_input == {"query": "why"}
    assert use.tool_use_id == result.tool_use_id
    assert record.messages[4].parts[0].uri == "users/u/image.jpg"
    assert record.messages[4].source["response"]["steps"] == [{"tags": ["x"]}]
    assert [file.source_id for file in record.messages[0].attachments] == ["asset-1"]
    assert not record.warnings


def tag(card: str, kind: str = "citation_card") -> str:
    return (
        f'<grok:render card_id="{card}" card_type="{kind}">\n<argument name="citation_id">1</argument>\n</grok:render>'
    )


def card(name: str, kind: str, **more: Any) -> str:
    return json.dumps({"id": name, "cardType": kind, **more})


ARTIFACT = '<xaiArtifact artifact_id="f" title="a > b.{end}" contentType="text/{kind}">{text}</xaiArtifact>\n'
DRAWN = "users/u/generated/i/image.jpg"
MARKED = (
    f"Venice sinks{tag('c1')}{tag('c2')} fast.\n\n"
    + ARTIFACT.format(end="py", kind="x-python", text='\n"""\n```\n"""\n')
    + ARTIFACT.format(end="md", kind="markdown", text="\n# Tides\n")
    + ARTIFACT.format(end="c", kind="c", text="\n```c\nint x;\n```\n")
    + f"The `<xaiArtifact>` and `<grok:render>` tags.{tag('i', 'image_card')}\n"
    + '<xaiArtifact artifact_id="g" contentType="text/css">\nb { '
)


def test_an_answer_is_read_without_its_markup_and_keeps_all_of_it():
    record = read(conversation(said("r1", None, "human", MARKED), said("r2", "r1", "assistant", MARKED)))
    users, answer = record.messages
    assert [(p.part_type.value, p.text) for p in users.parts] == [("text", MARKED)]
    text, *artifacts = answer.parts
    assert text.text == (
        'Venice sinks fast.\n\n````python\n"""\n```\n"""\n````\n\n# Tides\n\n\n```c\nint x;\n```\n\n'
        "The `<xaiArtifact>` and `<grok:render>` tags.\n```css\nb { \n```"
    )
    assert [(p.part_type.value, p.text, p.language, p.uri) for p in artifacts] == [
        ("artifact", '"""\n```\n"""', "python", "f"),
        ("artifact", "# Tides", None, "f"),
        ("artifact", "```c\nint x;\n```", "c", "f"),
        ("artifact", "b { ", "css", "g"),
    ]
    assert artifacts[1].source == {"artifact_id": "f", "title": "a > b.md", "contentType": "text/markdown"}
    assert answer.source["response"]["message"] == MARKED
    assert not record.warnings


def test_what_cards_cite_and_show_is_read_once_and_the_cards_are_kept():
    cards = [
        card("c1", "citation_card", url="https://a.example"),
        card("c2", "citation_card", url="https://b.example"),
        card("c3", "citation_card", url="https://b.example"),
        card("g", "generated_image_card", image_chunk={"imageUrl": "users/u/generated/i-part-0/image.jpg"}),
        card("g", "generated_image_card", image_chunk={"imageUrl": DRAWN}),
        card("s", "image_card", image={"original": "https://c.example/c.png", "link": "https://c.example"}),
        card("f", "rendered_file_card", url="users/u/f.csv", mime_type="text/csv"),
        "{broken",
    ]
    message = said(
        "r1",
        None,
        "assistant",
        "so",
        web_search_results=[FOUND, {"url": "https://b.example", "title": "B"}],
        cited_web_search_results=[FOUND],
        card_attachments_json=cards,
        generated_image_urls=[DRAWN],
    )
    record = read(conversation(message))
    assert [(p.part_type.value, p.text, p.uri, p.mime_type) for p in record.messages[0].parts[3:]] == [
        ("image", None, DRAWN, None),
        ("image", None, "https://c.example/c.png", None),
        ("file", None, "users/u/f.csv", "text/csv"),
        ("citation", "A", "https://a.example", None),
        ("citation", "B", "https://b.example", None),
    ]
    assert record.messages[0].parts[-2].source == {"preview": "about a"}
    assert record.messages[0].source["response"]["card_attachments_json"] == cards


def test_responses_without_a_wrapper_are_read_as_those_with_one():
    bare = {**BRANCHED, "responses": [entry["response"] for entry in BRANCHED["responses"]]}
    record, wrapped = read(bare), read(BRANCHED)
    assert recognise(bare).evidence.confidence == 1
    assert [replace(m, source={}) for m in record.messages] == [replace(m, source={}) for m in wrapped.messages]
    assert [m.source for m in record.messages] == [m.source["response"] for m in wrapped.messages]
    assert not record.warnings


def test_what_looks_like_no_response_is_none_without_a_wrapper_either():
    strange = {"_id": "r2", "text": "x"}
    record = read(conversation({"_id": "r1", "message": "x"}, strange, {"sender": "human", "message": "x"}))
    assert [(m.source_id, m.role) for m in record.messages] == [("r1", "system")]
    assert record.source_json["responses"] == [strange, {"sender": "human", "message": "x"}]
    assert record.warnings == {"unknown_role": 1, "malformed_message": 2}


def with_mongo_ids(value: Any) -> Any:
    if isinstance(value, list):
        return [with_mongo_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    ids = {"id", "_id", "parent_response_id", "leaf_response_id"}
    return {name: {"$oid": item} if name in ids and item else with_mongo_ids(item) for name, item in value.items()}


def test_ids_of_mongo_are_read_as_their_text():
    record, plain = read(with_mongo_ids(BRANCHED)), read(BRANCHED)
    assert (record.source_id, record.active_source_id, record.is_linear_source) == ("c", "r5", False)
    links = [(m.source_id, m.parent_source_id) for m in plain.messages]
    assert [(m.source_id, m.parent_source_id) for m in record.messages] == links
    assert "_id" not in record.messages[0].source["response"]
    assert record.warnings == plain.warnings


def test_every_leaf_has_its_parents_when_it_is_imported():
    dialogue = prepare(read(BRANCHED), json.dumps(BRANCHED).encode())
    parents = {message.source_id: message.link.parent for message in dialogue.messages}
    assert parents == {"r1": None, "r2": "r1", "r3": "r1", "r4": "r2", "r5": "r4"}
    assert not dialogue.counts


def test_what_is_no_response_and_what_is_repeated_is_kept():
    other = said("r1", None, "human", "another")
    record = read(conversation(said("r1", None, "human", "one"), "noise", {"share_link": "x"}, other))
    assert [m.source_id for m in record.messages] == ["r1"]
    assert record.source_json["responses"] == ["noise", {"share_link": "x"}, other]
    assert record.warnings == {"malformed_message": 2, "duplicate_message": 1}


@pytest.mark.parametrize(("sender", "role"), [("robot", "system"), (None, "system"), ("GROK-3-mini", "assistant")])
def test_an_unknown_sender_is_never_taken_for_the_user_or_the_model(sender: str | None, role: str):
    value = conversation(said("r1", None, "", "x") | {"response": {"_id": "r1", "sender": sender, "message": "x"}})
    assert read(value).messages[0].role == role


def test_without_parents_each_response_follows_the_one_before_it():
    dialogue = prepare(read(conversation(said("a", None, "human", "x"), said("b", None, "assistant", "y"))), None)
    assert [message.link.parent for message in dialogue.messages] == [None, "a"]


def backend(tmp_path: Path, **more: Any) -> Path:
    path = tmp_path / "ttl" / "30d" / "export_data" / "u" / "prod-grok-backend.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"conversations": [BRANCHED], "projects": [{"id": "p"}], "tasks": [], **more}))
    return path


def test_an_export_is_read_with_its_folders_and_what_is_beside_is_said(tmp_path: Path):
    path = backend(tmp_path, media_posts=[{"id": "m"}])
    (path.parent / "prod-mc-billing.json").write_text("[private")
    (path.parent / "prod-mc-auth-mgmt-api.json").write_text("[private")
    asset = path.parent / "prod-mc-asset-server" / "asset-1" / "content"
    asset.parent.mkdir(parents=True)
    asset.write_bytes(b"\x89PNG")
    reading = read_paths([tmp_path])
    [file] = reading
    [item] = file.records()
    assert isinstance(item, ReadDialogue)
    assert file.source == "grok"
    assert file.is_understood
    assert not reading.not_understood
    reasons = {skipped.reason for skipped in reading.skipped}
    assert "beside its conversations: media_posts, projects" in reasons
    assert {
        "private and never opened: prod-mc-billing.json",
        "private and never opened: prod-mc-auth-mgmt-api.json",
        "a companion of the export: attached files",
    } <= reasons


@pytest.mark.parametrize("source", [None, "grok"])
def test_what_is_beside_is_no_conversation_if_the_source_is_given(tmp_path: Path, source: str | None):
    [file] = read_paths([backend(tmp_path)], source=source)
    assert [type(item) for item in file.records()] == [ReadDialogue]
    assert [skipped.reason for skipped in file.beside] == ["beside its conversations: projects"]


def test_what_the_format_does_not_have_beside_its_conversations_is_rejected(tmp_path: Path):
    [file] = read_paths([backend(tmp_path, surprises=[1])])
    _, rejected = sorted(file.records(), key=lambda item: isinstance(item, RejectedRecord))
    assert isinstance(rejected, RejectedRecord)
    assert "keys surprises" in rejected.reason


def test_a_record_is_groks_by_its_senders():
    assert recognise(BRANCHED).source == "grok"
    assert recognise(conversation()).is_recognised
    assert recognise(conversation({}, {"response": {}, "share_link": None})).is_recognised
    for entry in ({"text": "x"}, {"response": "x"}, "x", None):
        assert not recognise(conversation({}, entry)).is_recognised
    assert not recognise({"conversation": {}, "responses": [{"response": {"text": "x"}}]}).is_recognised
