"""Messages arrays of the three forms become the same records."""

from __future__ import annotations

import base64
import hashlib
import json
from types import SimpleNamespace

import pytest

from archive_pipeline.domain.records import JsonText, PartType
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.readers.chat_arrays.messages import read_chat_messages

PICTURE = b"\x89PNG not really"
PICTURE_SHA256 = hashlib.sha256(PICTURE).hexdigest()
PICTURE_BASE64 = base64.b64encode(PICTURE).decode()

OPENAI = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Weather in Oslo?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "4 degrees"},
    {"role": "assistant", "content": "Cold."},
]
ANTHROPIC = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Weather in Oslo?"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}}]},
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "4 degrees"}]}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "Cold."}]},
]
OWN = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content_parts": [{"part_type": "text", "text_content": "Weather in Oslo?"}]},
    {"role": "assistant", "tool_calls": [{"id": "c1", "name": "weather", "parameters": {"city": "Oslo"}}]},
    {
        "role": "tool",
        "content_parts": [{"part_type": "tool_result", "text_content": "4 degrees", "tool_use_id": "c1"}],
    },
    {"role": "assistant", "content": "Cold."},
]


def said(messages):
    """Role and parts of each record, without the names a vendor has for them."""
    return [
        (
            message.record.role,
            [(p.part_type, p.text, p.tool_name, p.tool_use_id, value_of(p.tool_input)) for p in message.record.parts],
        )
        for message in read_chat_messages(messages)
    ]


def value_of(tool_input):
    return json.loads(tool_input.text) if isinstance(tool_input, JsonText) else tool_input


@pytest.mark.parametrize("messages", [ANTHROPIC, OWN], ids=["anthropic", "own"])
def test_the_forms_say_the_same(messages):
    assert said(messages) == said(OPENAI)


def test_records_know_their_message_and_results_are_messages_of_their_own():
    mixed = [
        {"role": "user", "content": "go"},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "1"},
                {"type": "tool_result", "tool_use_id": "b", "content": None},
                {"type": "text", "text": "and now?"},
            ],
        },
    ]
    found = [(message.index, message.record.role, len(message.record.parts)) for message in read_chat_messages(mixed)]
    assert found == [(0, "user", 1), (1, "tool", 1), (1, "tool", 1), (1, "user", 1)]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE_BASE64}"}},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE_BASE64}"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE_BASE64}},
    ],
    ids=["openai", "responses", "anthropic"],
)
def test_an_image_is_known_by_its_content(block):
    (message,) = read_chat_messages([{"role": "user", "content": [block]}])
    (part,) = message.record.parts
    assert (part.part_type, part.content_sha256, part.mime_type, part.uri) == (
        PartType.IMAGE,
        PICTURE_SHA256,
        "image/png",
        None,
    )
    assert part.source == block, "the content itself is kept"


@pytest.mark.parametrize(
    ("block", "address"),
    [
        ({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}, "https://example.org/a.png"),
        ({"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}, "https://example.org/a.png"),
        ({"type": "document", "source": {"type": "file", "file_id": "file-1"}}, "file-1"),
        ({"type": "file", "file": {"file_id": "file-1"}}, "file-1"),
        ({"type": "input_file", "file_url": "https://example.org/a.pdf"}, "https://example.org/a.pdf"),
    ],
)
def test_what_only_points_somewhere_keeps_its_address(block, address):
    (message,) = read_chat_messages([{"role": "user", "content": [block]}])
    assert [(part.uri, part.content_sha256) for part in message.record.parts] == [(address, None)]


def test_audio_and_documents_are_known_by_their_content():
    blocks = [
        {"type": "input_audio", "input_audio": {"data": PICTURE_BASE64, "format": "wav"}},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "hello"}},
        {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "hello"}]}},
        {"type": "search_result", "source": "https://example.org", "content": [{"type": "text", "text": "hello"}]},
    ]
    (message,) = read_chat_messages([{"role": "user", "content": blocks}])
    assert [part.content_sha256 for part in message.record.parts] == [
        PICTURE_SHA256,
        *[hashlib.sha256(b"hello").hexdigest()] * 3,
    ]


def test_images_of_a_tool_bear_the_id_of_its_result():
    content = [
        {"type": "text", "text": "seen"},
        {"type": "image", "source": {"type": "base64", "data": PICTURE_BASE64}},
    ]
    anthropic = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": content}]}
    openai = {"role": "tool", "tool_call_id": "c1", "content": content}
    for message in (anthropic, openai):
        (read,) = read_chat_messages([message])
        assert [(part.part_type, part.tool_use_id) for part in read.record.parts] == [
            (PartType.TOOL_RESULT, "c1"),
            (PartType.IMAGE, "c1"),
        ]


def test_attachments_of_the_seed():
    files = [
        {"type": "image/png", "content": PICTURE},
        SimpleNamespace(content=PICTURE_BASE64, url=None, path="b.png", type="image/png"),
        {"url": "https://example.org/c.png"},
        {"path": "d.png"},
    ]
    (message,) = read_chat_messages([{"role": "user", "content": "look", "attachments": files}])
    assert [(f.content_sha256, f.uri, f.file_name) for f in message.record.attachments] == [
        (PICTURE_SHA256, None, None),
        (PICTURE_SHA256, None, "b.png"),
        (None, "https://example.org/c.png", None),
        (None, None, "d.png"),
    ]


def test_objects_of_clients_are_taken():
    client = SimpleNamespace(model_dump=lambda: {"role": "assistant", "content": "hi"})
    assert said([client]) == said([{"role": "assistant", "content": "hi"}])


def test_empty_and_null_everywhere():
    empty = [
        {"role": "user", "content": None},
        {"role": "user", "content": ""},
        {"role": "user", "content": []},
        {"role": "assistant", "content": [{"type": "text", "text": None}], "tool_calls": None, "attachments": None},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": None}], "tool_calls": []},
    ]
    assert [parts for _, parts in said(empty)] == [[]] * 5
    assert read_chat_messages([]) == ()


def test_arguments_that_are_too_deep_for_the_database_stay_text():
    deep = '{"a":' * 300 + "1" + "}" * 300
    message = {"role": "assistant", "function_call": {"name": "f", "arguments": deep}}
    (read,) = read_chat_messages([message])
    assert [part.tool_input for part in read.record.parts] == [deep]


@pytest.mark.parametrize(
    ("arguments", "tool_input", "text"),
    [
        ('{"b": 1,  "a": 12345678901234567890123}', JsonText('{"b": 1,  "a": 12345678901234567890123}'), None),
        ("[]", JsonText("[]"), None),
        (" 1.0 ", JsonText(" 1.0 "), None),
        ('"quoted"', "quoted", '"quoted"'),
        ('{"q": "\\u0000"}', {"q": "\0"}, None),
        ('{"q": "\\ud800"}', '{"q": "\\ud800"}', None),
        ("{broken", "{broken", None),
        ("", "", None),
    ],
)
def test_arguments_that_are_a_text_are_kept_as_it_says(arguments, tool_input, text):
    (read,) = read_chat_messages([{"role": "assistant", "function_call": {"name": "f", "arguments": arguments}}])
    [call] = read.record.parts
    assert (call.tool_input, type(call.tool_input), call.text) == (tool_input, type(tool_input), text)


def test_thinking_arguments_that_are_no_json_and_what_else_a_message_has_are_kept():
    message = {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "hm", "signature": "xyz"}],
        "function_call": {"name": "f", "arguments": "{broken"},
        "logprobs": [1],
        "model": "gpt-x",
    }
    (read,) = read_chat_messages([message])
    thinking, call = read.record.parts
    assert (thinking.text, thinking.source) == ("hm", {"signature": "xyz"})
    assert (call.tool_name, call.tool_input) == ("f", "{broken")
    assert (read.record.model, read.record.source) == ("gpt-x", {"logprobs": [1]})


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        ("hello", "messages is not a list"),
        ({"role": "user"}, "messages is not a list"),
        ([7], r"messages\[0\] is a int"),
        ([{"content": "x"}], r"messages\[0\].role is None"),
        ([{"role": "user", "content": "x"}, {"role": "boss"}], r"messages\[1\].role is 'boss'; known are system"),
        ([{"role": "user", "content": 7}], r"messages\[0\].content is a int"),
        ([{"role": "user", "content": [7]}], r"messages\[0\].content\[0\] is a int"),
        ([{"role": "user", "content": [{"type": "hologram"}]}], r"content\[0\].type is 'hologram'; known are text"),
        ([{"role": "user", "content": [{"type": "text", "text": 7}]}], r"content\[0\].text is a int"),
        ([{"role": "user", "content": [{"type": "image_url"}]}], r"content\[0\] has neither content nor an address"),
        (
            [{"role": "user", "content": [{"type": "image", "source": {"data": "%%%"}}]}],
            r"content\[0\] holds text that is not base64",
        ),
        ([{"role": "user", "content_parts": [{"part_type": "smell"}]}], r"content_parts\[0\].part_type is 'smell'"),
        ([{"role": "user", "content": [{"type": "tool_result", "content": 7}]}], r"content\[0\].content is a int"),
        ([{"role": "assistant", "tool_calls": {"id": 1}}], r"messages\[0\].tool_calls is a dict"),
        ([{"role": "assistant", "tool_calls": [1]}], r"tool_calls\[0\] is a int"),
        ([{"role": "assistant", "function_call": 1}], r"function_call is a int"),
        ([{"role": "user", "attachments": "a.png"}], r"messages\[0\].attachments is a str"),
        ([{"role": "user", "attachments": [{}]}], r"attachments\[0\] has neither content nor url nor path"),
        ([{"role": "user", "attachments": [3]}], r"attachments\[0\]"),
    ],
)
def test_what_cannot_be_read_is_named(messages, error):
    with pytest.raises(InvalidMessagesError, match=error):
        read_chat_messages(messages)


LEFT = [
    ([{"type": "text", "text": "a", "cache_control": {"type": "kept"}}], {}),
    ([{"type": "text", "text": "", "annotations": ["kept"]}], {}),
    ([{"type": "refusal", "refusal": "a", "reason": "kept"}], {}),
    ([{"type": "tool_use", "id": "i", "name": ["kept"], "input": {}}], {}),
    ([{"type": "tool_result", "tool_use_id": "i", "content": [{"type": "text", "text": "a", "more": "kept"}]}], {}),
    ([{"part_type": "text", "text_content": "a", "source_json": {"more": "kept"}}], {}),
    ("a", {"tool_calls": [{"id": "i", "type": "kept", "function": {"name": "f", "arguments": "{}"}}]}),
    ("a", {"tool_calls": [{"id": "i", "type": ["kept"], "function": {"name": "f", "arguments": "{}"}}]}),
    ("a", {"tool_calls": [{"id": "i", "function": {"name": "f", "arguments": "{}", "strict": "kept"}}]}),
    ("a", {"function_call": {"name": "f", "arguments": "{}", "thought": "kept"}}),
    ("a", {"attachments": [{"url": "u", "type": "a/b", "mime_type": "kept"}]}),
    ("a", {"attachments": [{"content": b"x", "title": "kept"}]}),
    ("a", {"name": ["kept"]}),
    ("a", {"tool_call_id": "kept"}),
    ("a", {"content_parts": [{"type": "text", "text": "b"}], "content": "kept"}),
]


@pytest.mark.parametrize(("content", "fields"), LEFT)
def test_what_no_column_takes_stays_in_a_source(content, fields):
    read = read_chat_messages([{"role": "user", "content": content, **fields}])
    parts = [part for message in read for part in (*message.record.parts, *message.record.attachments)]
    assert "kept" in repr([*(message.record.source for message in read), *(part.source for part in parts)])


def test_texts_and_calls_bear_the_types_that_they_have():
    blocks = [{"type": "input_text", "text": "a"}, {"type": "refusal", "refusal": "b"}, {"type": "text", "text": "c"}]
    calls = [{"id": "c1", "type": "custom", "custom": {"name": "run", "input": "ls"}}, OPENAI[2]["tool_calls"][0]]
    [message] = read_chat_messages([{"role": "assistant", "content": blocks, "tool_calls": calls}])
    texts, of_calls = message.record.parts[:3], message.record.parts[3:]
    assert [part.source_type for part in texts] == ["input_text", "refusal", "text"]
    assert [part.source for part in of_calls] == [{"type": "custom"}, None]


def test_files_beside_nothing_but_results_are_those_of_the_results():
    result = {"type": "tool_result", "tool_use_id": "i", "content": "a"}
    (read,) = read_chat_messages([{"role": "user", "content": [result], "attachments": [{"url": "u"}]}])
    assert (read.record.role, [file.uri for file in read.record.attachments]) == ("tool", ["u"])


def test_rows_of_a_tool_keep_their_own_ids_and_types_and_what_is_no_hash():
    rows = [
        {"part_type": "text", "text_content": "done", "source_type": "log"},
        {"part_type": "tool_use", "tool_name": "f", "tool_use_id": "own"},
        {"part_type": "image", "uri": "u", "content_sha256": "none"},
    ]
    message = {"role": "tool", "tool_call_id": "c", "content": rows}
    result, call, image = read_chat_messages([message])[0].record.parts
    assert (result.text, result.tool_use_id, result.source) == ("done", "c", {"content": [{"source_type": "log"}]})
    assert (call.tool_use_id, image.tool_use_id) == ("own", "c")
    assert (image.content_sha256, image.source) == (None, {"content_sha256": "none"})


def test_a_message_in_rows_of_the_archive_is_taken_as_it_is():
    result = {"part_type": "tool_result", "text_content": "seen", "tool_use_id": "c"}
    image = {"part_type": "image", "content_sha256": PICTURE_SHA256, "tool_use_id": "c"}
    text = {"part_type": "text", "text_content": "and now?"}
    kept = [("user", [text, result, text]), *(("tool", rows) for rows in ([result, image], [image], [text], []))]
    read = read_chat_messages([{"role": role, "content_parts": rows} for role, rows in kept])
    assert [(message.index, message.record.role) for message in read] == list(enumerate(role for role, _ in kept))
    types = [[part.part_type for part in message.record.parts] for message in read]
    assert types == [[row["part_type"] for row in rows] for _, rows in kept]
    assert read[1].record.parts[1].content_sha256 == PICTURE_SHA256


def test_rows_beside_what_another_form_has_are_read_by_that_form():
    text = {"part_type": "text", "text_content": "seen"}
    openai = {"role": "tool", "tool_call_id": "c", "content_parts": [text]}
    block = {"type": "tool_result", "tool_use_id": "c", "content": "seen"}
    anthropic = {"role": "user", "content_parts": [block, text]}
    result = (PartType.TOOL_RESULT, "seen", None, "c", None)
    assert said([openai]) == [("tool", [result])]
    assert said([anthropic]) == [("tool", [result]), ("user", [(PartType.TEXT, "seen", None, None, None)])]
