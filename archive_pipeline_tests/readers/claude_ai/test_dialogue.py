"""What each shape of a Claude.ai conversation becomes."""

import hashlib

import pytest

from archive_pipeline.domain.records import DialogueRecord, PartType, RejectedRecord
from archive_pipeline.readers.claude_ai.dialogue import read_conversation
from archive_pipeline.readers.json.shapes import base64_sha256

ZERO = "00000000-0000-4000-8000-000000000000"


def message(uuid="m1", sender="human", **fields):
    return {"uuid": uuid, "sender": sender, "text": "", "content": [], **fields}


def dialogue(*messages, **fields):
    record = read_conversation({"uuid": "c", "name": "N", "chat_messages": list(messages), **fields}, "f[0]")
    assert isinstance(record, DialogueRecord)
    return record


def parts_of(*blocks, **fields):
    return dialogue(message(sender="assistant", content=list(blocks), **fields)).messages[0].parts


def test_text_thinking_tools_and_pictures_become_their_parts():
    citations = [{"url": "u"}]
    parts = parts_of(
        {"type": "thinking", "thinking": "hm", "summaries": [{"summary": "s"}], "cut_off": False},
        {"type": "text", "text": "a", "citations": citations, "start_timestamp": None},
        {"type": "text", "text": ""},
        {"type": "tool_use", "id": "t1", "name": "web", "input": {"q": 1}, "message": "Searching"},
        {
            "type": "tool_result",
            "tool_use_id": "t1",
            "name": "web",
            "is_error": True,
            "content": [{"type": "text", "text": "r"}],
        },
        {"type": "image", "source": {"type": "url", "url": "http://i", "media_type": "image/png"}},
        {"type": "text", "text": "b", "citations": []},
    )
    assert [p.part_type.value for p in parts] == [
        "thinking", "text", "tool_use", "tool_result", "image", "text", "citation",
    ]  # fmt: skip
    thinking, text, call, result, image, plain, citation = parts
    assert (thinking.text, thinking.source["summaries"]) == ("hm", [{"summary": "s"}])
    assert (text.text, text.source) == ("a", {"citations": citations})
    assert (call.tool_name, call.tool_use_id, call.tool_input, call.source) == (
        "web",
        "t1",
        {"q": 1},
        {"message": "Searching"},
    )
    assert (result.text, result.tool_use_id, result.is_error, result.source) == ("r", "t1", True, None)
    assert (image.uri, image.mime_type) == ("http://i", "image/png")
    assert plain.source is None
    assert (citation.uri, citation.text, citation.source) == ("u", None, None)


def test_calls_without_ids_are_paired_with_results_in_order():
    parts = parts_of(
        {"type": "tool_use", "name": "a", "input": {}},
        {"type": "tool_use", "name": "b", "input": {}},
        {"type": "tool_result", "content": "for a"},
        {"type": "tool_result", "name": "b", "content": ["x", "y"]},
    )
    assert [p.tool_use_id for p in parts] == ["toolu-m1-0", "toolu-m1-1", "toolu-m1-0", "toolu-m1-1"]
    assert [p.tool_name for p in parts] == ["a", "b", "a", "b"]
    assert parts[3].text == "x\n\ny"


def test_a_result_in_the_next_user_message_finds_its_call_and_a_stray_one_is_counted():
    record = dialogue(
        message("m1", "assistant", content=[{"type": "tool_use", "name": "a", "input": {}}]),
        message(
            "m2", "human", content=[{"type": "tool_result", "content": "r"}, {"type": "tool_result", "content": "s"}]
        ),
    )
    assert [p.tool_use_id for p in record.messages[1].parts] == ["toolu-m1-0", None]
    assert record.warnings == {"unpaired_tool_result": 1}


@pytest.mark.parametrize("kind", ["hologram", "text/markdown"])
def test_other_blocks_are_kept_raw_and_counted(kind):
    block = {"type": kind, "data": 1}
    record = dialogue(message(content=[block, {"type": "text", "text": "a"}]))
    part = record.messages[0].parts[0]
    assert (part.part_type, part.text, part.source) == (PartType.UNKNOWN, None, block)
    assert record.warnings == {f"unknown_part:{kind}": 1}


def test_what_was_spoken_is_text_and_its_title_is_kept():
    note = {"type": "voice_note", "title": "Voice", "text": "how tall is the eiffel tower"}
    record = dialogue(message(content=[note], text="This block is not supported on your current device yet."))
    [part] = record.messages[0].parts
    assert (part.part_type, part.text, part.source_type) == (PartType.TEXT, note["text"], "voice_note")
    assert (part.source, record.warnings) == ({"title": "Voice"}, {})


@pytest.mark.parametrize("block", [{"type": "token_budget", "remaining": 7}, {"type": "flag", "flags": ["f"]}])
def test_bookkeeping_among_the_blocks_is_kept_and_is_no_surprise(block):
    record = dialogue(message(content=[block, {"type": "text", "text": "a"}]))
    assert [part.text for part in record.messages[0].parts] == ["a"]
    assert (record.messages[0].source["content"], record.warnings) == ([block], {})


@pytest.mark.parametrize(
    ("content", "warnings"),
    [
        (None, {"malformed_content": 1}),
        ("a string", {"malformed_content": 1}),
        ([], {}),
        ([{"type": "text", "text": None}], {}),
        ([{"type": "text", "text": ""}], {}),
    ],
)
def test_the_flattened_text_stands_in_where_the_blocks_give_none(content, warnings):
    record = dialogue(message(content=content, text="flat"))
    [part] = record.messages[0].parts
    assert (part.part_type, part.text, part.source_type) == (PartType.TEXT, "flat", "text_fallback")
    assert record.warnings == warnings


def test_a_message_without_the_key_content_is_no_surprise():
    record = read_conversation({"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "old"}]}, "f")
    assert record.messages[0].parts[0].text == "old"
    assert record.warnings == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        None,
        "This block is not supported on your current device yet.",
        "```\nThis block is not supported on your current device yet.\n```\n\n" * 2,
        "Viewing artifacts created via the Analysis Tool web feature preview isn't yet supported on mobile.",
    ],
)
def test_placeholders_are_no_text(text):
    assert dialogue(message(text=text)).messages[0].parts == ()


def test_a_number_as_text_is_written_out_and_counted():
    record = dialogue(message(content=[{"type": "text", "text": 12345}]))
    assert record.messages[0].parts[0].text == "12345"
    assert record.warnings == {"malformed_text": 1}


def test_an_uploaded_text_in_both_lists_is_one_attachment_for_each_time_that_both_have_its_name():
    text = {"file_name": "n.txt", "file_size": 4, "file_type": "txt", "extracted_content": "text"}
    first, second = {"file_uuid": "f1", "file_name": "n.txt"}, {"file_uuid": "f2", "file_name": "n.txt", "file_size": 5}
    picture = {"file_uuid": "f3", "file_name": "p.png"}
    pasted = {**text, "file_name": ""}
    [said] = dialogue(message(attachments=[text, pasted, text, text], files=[first, picture, second])).messages
    assert [(file.source_id, file.file_name, file.size_bytes, file.extracted_text) for file in said.attachments] == [
        ("f1", "n.txt", 4, "text"),
        (None, None, 4, "text"),
        ("f2", "n.txt", 4, "text"),
        (None, "n.txt", 4, "text"),
        ("f3", "p.png", None, None),
    ]
    assert said.attachments[0].source == {**first, "file_size": 4, "file_type": "txt"}
    assert said.source["files"] == [second]


def test_pastes_and_files_are_attachments_each_once():
    entry = {"file_uuid": "f1", "file_name": "image", "preview_url": "/p"}
    pasted = {"file_name": "", "file_size": 5, "file_type": "text/plain", "extracted_content": "paste"}
    by_name = {"file_name": "x.pdf"}
    record = dialogue(message(attachments=[pasted], files=[entry, by_name, by_name, {}, None], files_v2=[entry]))
    paste, first, second = record.messages[0].attachments
    assert (paste.file_name, paste.extracted_text, paste.size_bytes, paste.mime_type) == (
        None,
        "paste",
        5,
        "text/plain",
    )
    assert "extracted_content" not in paste.source
    assert (first.source_id, first.file_name, first.uri, second.file_name) == ("f1", "image", "/p", "x.pdf")


def test_files_that_are_none_or_say_more_the_second_time_stay_in_the_message():
    entry = {"file_uuid": "f1", "file_name": "image"}
    more = {**entry, "thumbnail": "/t"}
    odd = message(attachments=["a", {"extracted_content": ["b"]}], files=[entry, 5, {}], files_v2=[entry, more])
    record = dialogue(odd | {"extra": 1}).messages[0]
    assert [file.source for file in record.attachments] == [{"extracted_content": ["b"]}, entry]
    assert record.source == {
        "uuid": "m1",
        "sender": "human",
        "text": "",
        "attachments": ["a"],
        "files": [5],
        "files_v2": [more],
        "extra": 1,
    }
    assert dialogue(message(attachments={"a": 1}, files="b")).messages[0].source["attachments"] == {"a": 1}


def test_values_of_another_kind_stay_in_the_part():
    parts = parts_of(
        {"type": "thinking", "thinking": ["a", "b"]},
        {"type": "thinking", "thinking": {"a": 1}},
        {"type": "tool_use", "id": ["i"], "name": {"n": 1}, "input": 5},
        {"type": "tool_result", "name": 7, "content": {"type": "text", "text": "r", "uuid": "u"}, "is_error": "no"},
        {"type": "tool_result", "content": [{"type": "knowledge", "text": "k"}]},
    )
    assert [part.text for part in parts] == ["a\n\nb", None, None, "r", "k"]
    assert [part.source for part in parts] == [
        None,
        {"thinking": {"a": 1}},
        {"id": ["i"], "name": {"n": 1}},
        {"name": 7, "content": {"type": "text", "text": "r", "uuid": "u"}, "is_error": "no"},
        {"content": [{"type": "knowledge", "text": "k"}]},
    ]


def test_blocks_that_say_nothing_a_part_could_hold_stay_in_the_message():
    blocks = [{"type": "text", "text": "", "start_timestamp": "s"}, {"type": "text", "text": ""}, ""]
    record = dialogue(message(content=blocks)).messages[0]
    assert (record.parts, record.source["content"]) == ((), blocks[:1])


def test_a_block_alone_is_read_as_a_list_of_one():
    record = dialogue(message(content={"type": "text", "text": "a"}, text=""))
    assert [part.text for part in record.messages[0].parts] == ["a"]
    assert record.warnings == {"malformed_content": 1}


@pytest.mark.parametrize("root", [ZERO, "00000000-0000-0000-0000-000000000000", "0" * 32, None, ""])
def test_zero_parents_are_roots(root):
    record = dialogue(
        message("m1", parent_message_uuid=root), message("m2", "assistant", parent_message_uuid="m1"), message("m3")
    )
    assert [m.parent_source_id for m in record.messages] == [None, "m1", None]
    assert not record.is_linear_source


def test_without_parents_messages_follow_each_other_by_index_or_as_they_stand():
    indexed = dialogue(message("b", index=1), message("a", index=0))
    assert indexed.is_linear_source
    assert [m.source_id for m in indexed.messages] == ["a", "b"]
    assert [m.source_id for m in dialogue(message("b", index=1), message("a")).messages] == ["b", "a"]


def test_the_model_of_the_conversation_is_that_of_its_answers():
    record = dialogue(message("m1"), message("m2", "assistant"), message("m3", "robot"), model="claude-x")
    assert [m.model for m in record.messages] == [None, "claude-x", None]
    assert [m.role for m in record.messages] == ["user", "assistant", "system"]
    assert record.warnings == {"unknown_role": 1}


def test_senders_are_known_in_any_letter_case():
    record = dialogue(message("m1", "Human"), message("m2", "ASSISTANT"))
    assert [m.role for m in record.messages] == ["user", "assistant"]
    assert not record.warnings["unknown_role"]


def test_of_two_messages_with_one_id_the_first_is_kept():
    record = dialogue(message("m1", text="first"), message("m1", text="second"), message(None), message(None), 5, None)
    assert [m.source_id for m in record.messages] == ["m1", None, None]
    assert record.messages[0].parts[0].text == "first"
    assert record.warnings == {"duplicate_message": 1, "malformed_message": 2}
    assert record.source_json["chat_messages"] == [5, message("m1", text="second")]
    assert "chat_messages" not in dialogue(message("m1"), message("m1")).source_json


def test_the_conversation_keeps_its_fields():
    record = dialogue(name="", created_at="2024-01-01T00:00:00Z", current_leaf_message_uuid="m9", summary="s")
    assert (record.source, record.source_id, record.title, record.active_source_id) == ("claude_ai", "c", None, "m9")
    assert record.created_at.year == 2024
    assert record.messages == ()
    assert record.source_json["summary"] == "s"


def test_the_source_of_a_message_keeps_odd_content_and_drops_what_is_held_elsewhere():
    odd = dialogue(message(content="odd", text="t")).messages[0].source
    assert odd["content"] == "odd"
    usual = dialogue(message(content=[{"type": "text", "text": "t"}], files=[{"file_name": "x"}])).messages[0].source
    assert set(usual) == {"uuid", "sender", "text"}


@pytest.mark.parametrize("fields", [{}, {"chat_messages": None}, {"chat_messages": "x"}])
def test_a_conversation_without_messages_field_is_rejected(fields):
    record = read_conversation({"uuid": "c", "name": "N", **fields}, "f[2]")
    assert isinstance(record, RejectedRecord)
    assert (record.locator, "N" in record.reason) == ("f[2]", True)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("aGk=", hashlib.sha256(b"hi").hexdigest()),
        ("", None),
        (None, None),
        ("not base64!", None),
        ("aGk", None),
        (7, None),
    ],
)
def test_the_content_of_an_image_is_hashed_where_it_is_in_the_export(data: object, expected: str | None):
    assert base64_sha256(data) == expected
