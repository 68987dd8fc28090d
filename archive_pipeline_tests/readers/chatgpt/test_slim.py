"""The shape of ChatGPT's bulk exports since 2026: what there is of tree, sources, canvas, instructions, GPTs."""

from __future__ import annotations

import pytest

from archive_pipeline.domain.records import DialogueRecord, PartType
from archive_pipeline.readers.chatgpt.dialogue import read_conversation


def node(key, parent, role="user", parts=("hi",), **message):
    content = message.pop("content", {"content_type": "text", "parts": list(parts)})
    body = {"id": key, "author": {"role": role}, "create_time": None, "content": content, "metadata": {}} | message
    return {"id": key, "parent": parent, "message": body}


def dialogue(*nodes, **fields):
    record = read_conversation({"id": "c", "mapping": {item["id"]: item for item in nodes}, **fields}, "f[0]")
    assert isinstance(record, DialogueRecord)
    return record


ROOT = {"id": "client-created-root", "parent": None, "message": None}


def test_a_slim_conversation_is_read_whole_from_parents_alone():
    record = dialogue(
        ROOT,
        node("q", "client-created-root"),
        node("a1", "q", "assistant", ["one"]),
        node("a2", "q", "assistant", ["two"]),
        node("q2", "a2"),
        current_node="q2",
    )
    assert [(m.source_id, m.parent_source_id, m.role, m.parts[0].text) for m in record.messages] == [
        ("q", "client-created-root", "user", "hi"),
        ("a1", "q", "assistant", "one"),
        ("a2", "q", "assistant", "two"),
        ("q2", "a2", "user", "hi"),
    ]
    assert (record.vintage, record.active_source_id, record.warnings) == ("slim", "q2", {})
    assert all(
        (m.state, m.is_hidden, m.recipient, m.channel) == ("complete", False, None, None) for m in record.messages
    )


@pytest.mark.parametrize(
    "more",
    [
        {"children": []},
        {"message": {"author": {"role": "user"}, "content": {}, "status": "finished_successfully"}},
        {"message": {"author": {"role": "user"}, "content": {}, "recipient": None}},
        {"message": {"author": {"role": "tool"}, "content": {}}},
    ],
)
def test_one_node_with_more_makes_the_shape_full(more):
    assert dialogue(node("q", None), {"id": "x", "parent": "q", "message": None} | more).vintage == "full"


@pytest.mark.parametrize("more", [{}, {"message": {"author": None, "content": {}}}])
def test_what_shows_no_shape_is_slim_and_deletes_nothing(more):
    assert dialogue({"id": "x", "parent": None, "message": None} | more).vintage == "slim"


def test_the_letter_case_of_roles_makes_no_shape_full():
    assert dialogue(node("a", None, "User"), node("b", "a", "ASSISTANT")).vintage == "slim"


def test_a_conversation_without_messages_is_full_if_its_nodes_have_children():
    assert dialogue(ROOT | {"children": []}).vintage == "full"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"gizmo_id": "g-abc"}, ("g-abc", None)),
        ({"gizmo_id": "g-p-abc"}, (None, "g-p-abc")),
        ({"conversation_template_id": "g-abc", "gizmo_type": "gpt"}, ("g-abc", None)),
        ({"conversation_template_id": "g-abc", "gizmo_type": "other"}, (None, None)),
        ({"conversation_template_id": "g-p-abc", "gizmo_type": "snorlax"}, (None, "g-p-abc")),
        ({"gizmo_id": "g-abc", "conversation_template_id": "g-p-1"}, ("g-abc", "g-p-1")),
        ({"gizmo_id": None}, (None, None)),
    ],
)
def test_custom_gpts_and_projects_are_told_apart(fields, expected):
    record = dialogue(node("q", None), **fields)
    assert (record.custom_gpt_id, record.project_id) == expected
    assert fields.items() <= record.source_json.items()


def test_custom_instructions_in_the_metadata_are_hidden_context():
    data = {"about_user_message": "I row.", "about_model_message": "Be brief.", "locale": "nl"}
    empty = {"content_type": "text", "parts": [""]}
    message = dialogue(node("i", None, content=empty, metadata={"user_context_message_data": data, "x": 1})).messages[0]
    [part] = message.parts
    assert (part.part_type, part.text, part.source) == (PartType.CONTEXT, "I row.\n\nBe brief.", {"locale": "nl"})
    assert (message.is_hidden, message.source["metadata"]) == (True, {"x": 1})
    said = dialogue(node("i", None, metadata={"user_context_message_data": data})).messages[0]
    assert (said.is_hidden, said.source["metadata"]) == (False, {"user_context_message_data": data})


def test_canvas_texts_are_artifacts_and_stay_in_the_text():
    text = 'Here:\n:::writing{variant="email" id="48291"}\nDear all,\n\nhello\n:::\nDone.\n:::writing\nnever closed'
    parts = dialogue(node("a", None, "assistant", [text])).messages[0].parts
    assert [(part.part_type.value, part.text, part.uri, part.source) for part in parts] == [
        ("text", text, None, None),
        ("artifact", "Dear all,\n\nhello", "48291", {"variant": "email", "id": "48291"}),
    ]
    assert len(dialogue(node("q", None, "user", [text])).messages[0].parts) == 1


def test_what_was_found_and_cited_on_the_web_are_parts():
    metadata = {
        "search_result_groups": [
            {
                "type": "search_result_group",
                "domain": "d.org",
                "entries": [{"url": "https://d.org/1", "title": "One", "snippet": "s"}, {"url": "https://d.org/2"}],
            },
            "odd",
        ],
        "content_references": [
            {"type": "grouped_webpages", "start_idx": 3, "items": [{"url": "https://d.org/1"}], "title": None},
            {"type": "webpage", "url": "https://e.org", "title": "E", "start_idx": 9, "end_idx": 12},
            {"type": "hidden", "matched_text": "x", "fallback_items": [{}, {"url": "https://f.org"}]},
        ],
        "citations": [{"start_ix": 1, "end_ix": 2, "metadata": {"url": "https://g.org", "title": "G", "text": "t"}}],
        "safe_urls": ["https://d.org/1", "https://h.org", "https://h.org", 7],
        "model_slug": "gpt-5",
    }
    message = dialogue(node("a", None, "assistant", metadata=metadata)).messages[0]
    parts = message.parts[1:]
    assert {part.part_type for part in parts} == {PartType.CITATION}
    group = {"type": "search_result_group", "domain": "d.org"}
    assert [(part.source_type, part.text, part.uri, part.source) for part in parts] == [
        ("search_result", "One", "https://d.org/1", {"snippet": "s", "group": group}),
        ("search_result", None, "https://d.org/2", {"group": {"domain": "d.org"}}),
        (
            "content_reference", None, "https://d.org/1",
            {"reference": {"type": "grouped_webpages", "start_idx": 3}},
        ),
        ("content_reference", "E", "https://e.org", {"type": "webpage", "start_idx": 9, "end_idx": 12}),
        (
            "content_reference", None, "https://f.org",
            {"reference": {"type": "hidden", "matched_text": "x", "fallback_items": [{}]}},
        ),
        ("citation", "G", "https://g.org", {"start_ix": 1, "end_ix": 2, "metadata": {"text": "t"}}),
        ("safe_url", None, "https://h.org", None),
    ]  # fmt: skip
    assert message.source["metadata"] == {"model_slug": "gpt-5", "search_result_groups": ["odd"], "safe_urls": [7]}


def test_each_page_that_a_text_cites_is_a_part_and_what_names_none_stays():
    first = {"title": "First", "url": "https://one.org"}
    place = {"type": "grouped_webpages", "matched_text": "m", "start_idx": 8}
    support = [{"title": "Support", "url": "https://sup.org"}]
    entity = {"type": "entity", "name": "Harbourtown", "alt": "Harbourtown"}
    old = {"start_ix": 4, "metadata": {"type": "webpage", "text": "of no page"}}
    metadata = {
        "content_references": [
            {
                **place,
                "status": "done",
                "items": [
                    {**first, "snippet": "s", "supporting_websites": support},
                    {"title": "Second", "url": "https://two.org"},
                ],
                "fallback_items": [first],
            },
            entity,
            {"type": "file", "name": "notes.pdf", "id": "file-1"},
            {"type": "sources_footnote", "sources": [first, {"title": "Foot", "url": "https://foot.org"}]},
        ],
        "citations": [old],
        "search_result_groups": [{"domain": "d.org", "entries": [{"snippet": "of no page"}]}],
    }
    message = dialogue(node("a", None, "assistant", metadata=metadata)).messages[0]
    assert [(part.text, part.uri, part.source) for part in message.parts[1:]] == [
        (
            "First", "https://one.org",
            {"snippet": "s", "reference": {**place, "status": "done", "fallback_items": [first]}},
        ),
        ("Support", "https://sup.org", {"reference": place}),
        ("Second", "https://two.org", {"reference": place}),
        ("notes.pdf", None, {"type": "file", "id": "file-1"}),
        ("Foot", "https://foot.org", {"reference": {"type": "sources_footnote", "sources": [first]}}),
    ]  # fmt: skip
    kept = {"content_references": [entity], "citations": [old]}
    assert message.source["metadata"] == kept | {"search_result_groups": metadata["search_result_groups"]}


def test_voice_variants_research_and_connectors_keep_what_they_say():
    spoken = {"content_type": "audio_transcription", "text": "spoken", "direction": "in"}
    pointer = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://1"}
    voice = {"content_type": "multimodal_text", "parts": [spoken, pointer]}
    choice = {"paragen_variants_info": {"type": "num_variants_in_stream"}, "paragen_variant_choice": "b"}
    research = {"async_task_type": "research", "async_task_title": "Canals"}
    widget = {"content_type": "super_widget", "widgets": [{"name": "map"}]}
    record = dialogue(
        node("q", None, content=voice, metadata={"voice_mode_message": True}),
        node("a", "q", "assistant", ["first"], metadata=choice),
        node("b", "q", "assistant", ["second"], metadata=choice),
        node("r", "b", "assistant", ["report"], metadata=research),
        node("w", "r", "assistant", content=widget),
    )
    q, a, b, r, w = record.messages
    assert [(part.part_type.value, part.text) for part in q.parts] == [("text", "spoken"), ("audio", None)]
    assert (a.parent_source_id, b.parent_source_id, a.source["metadata"]) == ("q", "q", choice)
    assert (r.source["metadata"], r.parts[0].text) == (research, "report")
    assert (w.parts[0].part_type, w.parts[0].source) == (PartType.UNKNOWN, widget)
    assert (record.warnings, record.vintage) == ({"unknown_part:super_widget": 1}, "slim")


def test_a_connector_called_in_the_full_shape_is_a_call_with_its_result():
    call = node(
        "c", "q", "assistant", ['{"path": "/mail/search", "args": {"q": "canal"}}'], recipient="api_tool.call_tool"
    )
    answer = node("t", "c", "tool", ["3 mails"], recipient="all")
    answer["message"]["author"]["name"] = "api_tool.call_tool"
    _, called, answered = dialogue(node("q", None), call, answer).messages
    assert (called.parts[0].part_type, called.parts[0].tool_input["path"]) == (PartType.TOOL_USE, "/mail/search")
    assert (answered.parts[0].part_type, answered.parts[0].tool_use_id) == (PartType.TOOL_RESULT, "c")
