"""What each shape of a ChatGPT conversation becomes."""

import pytest

from archive_pipeline.domain.records import DialogueRecord, PartType, RejectedRecord
from archive_pipeline.readers.chatgpt.dialogue import read_conversation


def message(role="user", content="hi", **fields):
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    return {"author": {"role": role, "name": fields.pop("name", None)}, "content": content, **fields}


def dialogue(*nodes, **fields):
    """Builds a conversation from (id, parent, message) rows."""
    mapping = {key: {"id": key, "parent": parent, "message": body} for key, parent, body in nodes}
    record = read_conversation({"conversation_id": "c", "mapping": mapping, **fields}, "f[0]")
    assert isinstance(record, DialogueRecord)
    return record


def only(body):
    return dialogue(("n", None, body)).messages[0]


def shown(body):
    return [(part.part_type.value, part.text) for part in only(body).parts]


def content(content_type, **fields):
    return {"content_type": content_type, **fields}


@pytest.mark.parametrize(
    ("role", "body", "expected"),
    [
        ("user", content("text", parts=["a", "", "b"]), [("text", "a"), ("text", "b")]),
        ("user", {"parts": ["no type"]}, [("text", "no type")]),
        ("user", content("text", parts=[None, ""]), []),
        ("user", None, []),
        ("user", {}, []),
        ("assistant", content("code", text="x = 1", language="python"), [("code", "x = 1")]),
        ("assistant", content("execution_output", text="42"), [("tool_result", "42")]),
        ("tool", content("tether_browsing_display", result="r", summary="s"), [("tool_result", "r\n\ns")]),
        ("tool", content("tether_quote", text="q", url="u", domain="d"), [("tool_result", "q")]),
        ("tool", content("sonic_webpage", text="", snippet="w"), [("tool_result", "w")]),
        ("tool", content("computer_output", state={"title": "t", "url": "u"}), [("tool_result", "t\nu")]),
        ("tool", content("citable_code_output", output_str="o"), [("tool_result", "o")]),
        ("assistant", content("system_error", name="E", text="bad"), [("error", "bad")]),
        ("tool", content("system_error", name="E", text="bad"), [("tool_result", "bad")]),
        (
            "assistant",
            content("thoughts", thoughts=[{"summary": "s", "content": "c"}, {"summary": "", "content": "d"}, {}]),
            [("thinking", "s\n\nc"), ("thinking", "d")],
        ),
        ("assistant", content("reasoning_recap", content="Thought for 3s"), [("thinking", "Thought for 3s")]),
        ("user", content("user_editable_context", user_profile="p", user_instructions="i"), [("context", "p\n\ni")]),
        ("assistant", content("model_editable_context", model_set_context="m"), [("context", "m")]),
        ("assistant", content("super_widget", text="not prose"), [("unknown", None)]),
        ("tool", "plain answer", [("tool_result", "plain answer")]),
        ("tool", content("text", parts=[""]), [("tool_result", None)]),
    ],
)
def test_each_content_type_becomes_its_parts(role, body, expected):
    assert shown({"author": {"role": role}, "content": body}) == expected


@pytest.mark.parametrize(
    ("role", "body", "expected"),
    [
        ("user", content("text", parts="alone"), [("text", "alone")]),
        ("user", content("text", parts={"content_type": "audio_transcription", "text": "a"}), [("text", "a")]),
        ("user", content("text", text=["a", "b"]), [("text", "a"), ("text", "b")]),
        ("user", content("text", parts=[""], text="a"), [("text", "a")]),
        ("assistant", content("code", parts=["a", {"x": 1}]), [("code", "a"), ("unknown", None)]),
        ("assistant", content("thoughts", parts=["a", "b"]), [("thinking", "a\n\nb")]),
        ("assistant", content("thoughts", thoughts="a"), [("thinking", "a")]),
        ("assistant", content("reasoning_recap", text="a"), [("thinking", "a")]),
        ("tool", content("thoughts", text="a"), [("tool_result", "a")]),
        ("tool", content("execution_output", parts=["a"]), [("tool_result", "a")]),
    ],
)
def test_text_in_another_field_or_shape_is_read_too(role, body, expected):
    assert shown({"author": {"role": role}, "content": body}) == expected


@pytest.mark.parametrize(
    "body",
    [
        content("text", parts=["a"], text="b"),
        content("thoughts", thoughts=[{"summary": "a"}], content="b"),
        content("reasoning_recap", content="a", parts=["b"]),
        content("thoughts", thoughts=[{"summary": ["b"]}]),
    ],
)
def test_text_that_no_part_takes_stays_in_the_source_and_is_counted(body):
    record = dialogue(("n", None, message("assistant", body)))
    assert "b" in repr(record.messages[0].source["content"])
    assert "'a'" not in repr(record.messages[0].source["content"])
    assert record.warnings == {"unread_text": 1}


def test_a_text_of_another_kind_stays_in_the_part():
    [part] = only(message("tool", content("execution_output", text={"odd": 1}, exit_code=2))).parts
    assert (part.text, part.source) == (None, {"text": {"odd": 1}, "exit_code": 2})
    spoken = {"content_type": "audio_transcription", "text": "a", "direction": "in"}
    [part] = only(message("tool", content("multimodal_text", parts=[spoken, "b"]))).parts
    assert (part.text, part.source) == (
        "a\n\nb",
        {"parts": [{"content_type": "audio_transcription", "direction": "in"}]},
    )


def test_what_a_node_says_beside_its_message_and_place_is_kept():
    mapping = {
        "root": {"id": "root", "parent": None, "message": None, "children": ["a"], "label": "first"},
        "gap": {"id": "gap", "parent": "root", "children": []},
        "a": {"id": "other", "parent": "root", "message": message(), "children": ["gone"], "pinned": True},
        "b": {"id": "b", "parent": ["a"], "message": message(), "children": {"a": 1}},
        "c": {"id": "c", "parent": "a", "message": message(), "children": ["b"]},
        "d": {"id": "d", "parent": "c", "message": "text"},
        "e": [1],
    }
    record = read_conversation({"id": "c", "mapping": mapping}, "f")
    assert record.source_json == {
        "id": "c",
        "mapping": {
            "root": {"label": "first"},
            "gap": {"parent": "root"},
            "a": {"id": "other", "children": ["gone"], "pinned": True},
            "b": {"parent": ["a"], "children": {"a": 1}},
            "d": {"parent": "c", "message": "text"},
            "e": [1],
        },
    }


def test_multimodal_text_keeps_the_order_of_words_pictures_and_sound():
    items = [
        "look",
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://1", "width": 3},
        {"content_type": "audio_transcription", "text": "spoken", "direction": "in"},
        {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://2"},
        {
            "content_type": "real_time_user_audio_video_asset_pointer",
            "audio_asset_pointer": {"asset_pointer": "sediment://3"},
            "video_container_asset_pointer": None,
        },
        {"content_type": "hologram", "text": "?"},
        7,
    ]
    record = dialogue(("n", None, message(content=content("multimodal_text", parts=items))))
    parts = record.messages[0].parts
    assert [part.part_type.value for part in parts] == ["text", "image", "text", "audio", "audio", "unknown", "unknown"]
    assert [part.uri for part in parts] == [None, "file-service://1", None, "sediment://2", "sediment://3", None, None]
    assert (parts[2].text, parts[2].source_type, parts[2].source) == (
        "spoken",
        "audio_transcription",
        {"direction": "in"},
    )
    assert parts[5].source == items[5]
    assert record.warnings == {"unknown_part:hologram": 1, "unknown_part:int": 1}


def test_a_code_call_carries_its_input_and_the_outputs_below_it_its_id():
    record = dialogue(
        ("u", None, message()),
        ("call", "u", message("assistant", content("code", text="1+1", language="unknown"), recipient="python")),
        ("gap", "call", None),
        ("out1", "gap", message("tool", content("execution_output", text="2"), name="python")),
        ("out2", "out1", message("tool", content("execution_output", text="3"), name="python")),
        ("end", "out2", message("assistant", "two")),
        ("stray", "end", message("tool", "nobody asked")),
    )
    call, out1, out2, stray = (record.messages[i].parts[0] for i in (1, 2, 3, 5))
    assert (call.part_type, call.tool_name, call.tool_use_id) == (PartType.TOOL_USE, "python", "call")
    assert (call.text, call.tool_input, call.language) == ("1+1", {"code": "1+1"}, None)
    assert (out1.tool_use_id, out2.tool_use_id, stray.tool_use_id) == ("call", "call", None)
    assert out1.tool_name == "python"
    assert record.message_less_nodes == {"gap": "call"}


def test_tool_messages_in_a_cycle_end():
    record = dialogue(("a", "b", message("tool")), ("b", "a", message("tool")))
    assert [m.parts[0].tool_use_id for m in record.messages] == [None, None]


def test_text_to_a_tool_is_a_call_and_its_json_the_input():
    body = message("assistant", '{"name": "x", "n": 1}', recipient="canmore.create_textdoc")
    [call] = only(body).parts
    assert call.part_type is PartType.TOOL_USE
    assert call.text == '{"name": "x", "n": 1}'
    assert call.tool_input == {"name": "x", "n": 1}
    [call] = only(message("assistant", "User likes tea \ud800", recipient="bio")).parts
    assert (call.tool_name, call.tool_input) == ("bio", None)
    [empty] = only(message("assistant", "", recipient="web.run")).parts
    assert (empty.part_type, empty.text) == (PartType.TOOL_USE, None)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (None, None),
        ({"status": "success"}, False),
        ({"status": "failed_with_in_kernel_exception"}, True),
        ({"in_kernel_exception": {"name": "ValueError"}}, True),
    ],
)
def test_an_exception_makes_a_result_an_error(outcome, expected):
    metadata = {"aggregate_result": outcome}
    [part] = only(message("tool", content("execution_output", text="x"), metadata=metadata)).parts
    assert part.is_error is expected


def test_an_image_made_by_a_tool_stands_beside_its_result():
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://1"}
    record = dialogue(
        ("call", None, message("assistant", "{}", recipient="dalle.text2im")),
        ("out", "call", message("tool", content("multimodal_text", parts=[picture]), name="dalle.text2im")),
    )
    parts = record.messages[1].parts
    assert [(part.part_type.value, part.tool_use_id) for part in parts] == [("tool_result", "call"), ("image", "call")]


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("function", "tool"),
        ("developer", "system"),
        ("critic", "system"),
        (None, "system"),
        ("tool", "tool"),
        ("Assistant", "assistant"),
        ("USER", "user"),
    ],
)
def test_roles_are_mapped_and_unknown_ones_never_count_as_speech(role, expected):
    record = dialogue(("n", None, message(role)))
    assert record.messages[0].role == expected
    assert ("unknown_role" in record.warnings) == (role in ("critic", None))
    assert record.messages[0].source["author"]["role"] == role


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, False),
        ({"weight": 1.0}, False),
        ({"weight": 0.0}, True),
        ({"weight": None}, False),
        ({"metadata": {"is_visually_hidden_from_conversation": True}}, True),
        ({"metadata": None}, False),
        ({"content": content("user_editable_context")}, True),
        ({"content": {"content_type": ["odd"], "parts": ["x"]}}, False),
    ],
)
def test_what_chatgpt_hides_is_hidden(fields, expected):
    assert only(message() | fields).is_hidden is expected


def test_state_model_and_addressees_are_kept():
    fields = {"recipient": "all", "channel": "final", "metadata": {"model_slug": "gpt-5"}}
    states = [None, "finished_successfully", "in_progress", "finished_partial_completion"]
    messages = [only(message("assistant", status=status, **fields)) for status in states]
    assert [m.state for m in messages] == ["complete", "complete", "in_progress", "aborted"]
    assert (messages[0].model, messages[0].recipient, messages[0].channel) == ("gpt-5", "all", "final")
    assert only(message("user", **fields)).model is None


def test_attachments_are_read_in_both_spellings():
    entries = [
        {"id": "f1", "name": "a.pdf", "size": 10, "mime_type": "application/pdf"},
        {"id": "f2", "name": "b.png", "size": -1, "mimeType": "image/png"},
        None,
    ]
    record = only(message(metadata={"attachments": entries, "request_id": "r"}))
    assert [(a.source_id, a.file_name, a.mime_type, a.size_bytes) for a in record.attachments] == [
        ("f1", "a.pdf", "application/pdf", 10),
        ("f2", "b.png", "image/png", None),
    ]
    assert record.source["metadata"] == {"request_id": "r"}
    odd = only(message(metadata={"attachments": ["a", {"id": "f"}]}))
    assert (odd.source["metadata"], len(odd.attachments)) == ({"attachments": ["a"]}, 1)
    assert only(message(metadata={"attachments": "a"})).source["metadata"] == {"attachments": "a"}


def test_the_source_of_a_message_does_not_repeat_its_text():
    record = only(message(content=content("text", parts=["long text"], extra=1), id="m"))
    assert record.source["content"] == {"content_type": "text", "extra": 1}
    assert record.source["id"] == "m"
    assert "long text" not in repr(record.source)


def test_node_ids_are_message_ids_and_pointers_by_other_ids_are_resolved():
    mapping = {
        "k1": {"id": "n1", "parent": None, "message": message() | {"id": "m1"}},
        "k2": {"id": "n2", "parent": "m1", "message": message("assistant") | {"id": ""}},
        "k3": {"id": "n3", "parent": "n2", "message": message()},
        "k4": {"id": "n4", "parent": "gone", "message": message()},
    }
    record = read_conversation({"id": "c", "mapping": mapping, "current_node": "n3"}, "f")
    assert [(m.source_id, m.parent_source_id) for m in record.messages] == [
        ("k1", None), ("k2", "k1"), ("k3", "k2"), ("k4", "gone"),
    ]  # fmt: skip
    assert record.active_source_id == "k3"


def test_children_are_believed_only_where_no_node_has_a_parent():
    def nodes(parent_of_b):
        return {
            "a": {"children": ["b", "c", "ghost"], "message": message()},
            "b": {"children": [], "parent": parent_of_b, "message": message()},
            "c": {"message": message()},
        }

    derived = read_conversation({"id": "c", "mapping": nodes(None)}, "f")
    assert [m.parent_source_id for m in derived.messages] == [None, "a", "a"]
    given = read_conversation({"id": "c", "mapping": nodes("a")}, "f")
    assert [m.parent_source_id for m in given.messages] == [None, "a", None]


def test_messages_without_any_pointer_follow_each_other():
    record = dialogue(("a", None, message()), ("b", None, message()))
    assert record.is_linear_source
    assert not dialogue(("a", None, message()), ("b", "a", message())).is_linear_source


def test_odd_nodes_cost_only_themselves():
    mapping = {
        "a": None,
        "b": {"parent": "a", "message": "text"},
        "c": {"parent": "b", "message": message(content="ok")},
    }
    mapping["d"] = {"parent": "c", "message": {"author": "user", "content": "bare string"}}
    record = read_conversation({"id": "c", "mapping": mapping}, "f")
    assert [m.parts[0].text for m in record.messages] == ["ok", "bare string"]
    assert record.message_less_nodes == {"a": None, "b": "a"}
    assert record.warnings == {"malformed_node": 2, "malformed_content": 1}


def test_everything_about_the_conversation_may_be_missing():
    record = read_conversation({"mapping": {}}, "f[3]")
    assert (record.source, record.source_id, record.title, record.created_at) == ("chatgpt", None, None, None)
    assert (record.messages, record.active_source_id, record.locator) == ((), None, "f[3]")


def test_a_conversation_keeps_its_fields_beside_the_mapping():
    record = dialogue(("a", None, message()), title="T", create_time=1.5, is_archived=True, current_node="a")
    assert (record.source_id, record.title, record.active_source_id) == ("c", "T", "a")
    assert record.created_at.timestamp() == 1.5
    assert record.source_json["is_archived"] is True
    assert "mapping" not in record.source_json


@pytest.mark.parametrize("mapping", [None, [], "x"])
def test_a_conversation_without_mapping_is_rejected(mapping):
    record = read_conversation({"title": "T", "mapping": mapping}, "f[1]")
    assert isinstance(record, RejectedRecord)
    assert (record.locator, "T" in record.reason) == ("f[1]", True)
