"""Messages as objects: those of the package `llm`, and any with role and content."""

from __future__ import annotations

import base64
import enum
import hashlib
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import llm
import pytest
from llm.parts import ReasoningPart, TextPart, ToolCallPart, ToolResultPart

from archive_pipeline.domain.records import PartType
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.matching.asked import hash_conversation
from archive_pipeline.readers.chat_arrays.messages import read_chat_messages

PICTURE = b"\x89PNG not really"
PICTURE_SHA256 = hashlib.sha256(PICTURE).hexdigest()
DATA_URL = f"data:image/png;base64,{base64.b64encode(PICTURE).decode()}"


def hashes(messages):
    return [message.context_hash for message in hash_conversation(messages).messages]


def test_messages_of_llm_are_the_same_as_openais():
    """System, user, assistant and tool messages, a call with its result, a picture."""
    picture = llm.Attachment(type="image/png", content=PICTURE)
    own = [
        llm.system("Be brief."),
        llm.user("Where is this?", picture),
        llm.assistant(ReasoningPart("Look it up."), ToolCallPart("find", {"b": 1, "a": 2}, "c1")),
        llm.tool_message(ToolResultPart("find", "Oslo", "c1")),
        llm.assistant("In ", "Oslo."),
        llm.Message("user", [TextPart("Thanks")]),
    ]
    openai = [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Where is this?"},
                {"type": "image_url", "image_url": {"url": DATA_URL}},
            ],
        },
        {
            "role": "assistant",
            "tool_calls": [{"id": "c1", "function": {"name": "find", "arguments": '{"a": 2, "b": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "Oslo"},
        {"role": "assistant", "content": [{"type": "text", "text": "In "}, {"type": "text", "text": "Oslo."}]},
        {"role": "user", "content": "Thanks"},
    ]
    assert hashes(own) == hashes(openai)
    assert hashes([message.to_dict() for message in own]) == hashes(openai)


def test_nothing_of_a_message_of_llm_is_lost():
    result = ToolResultPart(
        "look",
        "a cat",
        "c1",
        attachments=[llm.Attachment(type="image/png", content=PICTURE)],
        exception="ValueError: x",
    )
    thought = ReasoningPart("", redacted=True, provider_metadata={"signature": "s"})
    read = read_chat_messages(
        [llm.assistant(thought), llm.tool_message(result, result), llm.user(llm.Attachment(url="u"))]
    )
    assert [message.record.role for message in read] == ["assistant", "tool", "tool", "user"]
    (thinking,) = read[0].record.parts
    assert (thinking.part_type, thinking.source) == (
        PartType.THINKING,
        {"redacted": True, "provider_metadata": {"signature": "s"}},
    )
    told, image = read[1].record.parts
    assert (told.text, told.tool_name, told.is_error, told.source) == (
        "a cat",
        "look",
        True,
        {"exception": "ValueError: x"},
    )
    assert (image.part_type, image.tool_use_id, image.content_sha256) == (PartType.IMAGE, "c1", PICTURE_SHA256)
    (file,) = read[3].record.attachments
    assert file.uri == "u"


class Role(enum.Enum):
    USER = "user"


@dataclass(slots=True)
class Plain:
    role: Any
    content: Any
    tool_calls: list[Any] = field(default_factory=list)
    other: str = "no field of a message"


def test_any_object_with_role_and_content_is_a_message():
    call = SimpleNamespace(model_dump=lambda: {"id": "c1", "function": {"name": "f", "arguments": "{}"}})
    block = SimpleNamespace(to_dict=lambda: {"type": "text", "text": "Hello"})
    objects = [Plain(Role.USER, "Hi"), Plain("assistant", [block]), SimpleNamespace(role="assistant", content=None)]
    objects += [Plain("assistant", "", [call])]
    plain = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "assistant", "content": None},
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]},
    ]
    assert hashes(objects) == hashes(plain)
    assert all(message.record.source is None for message in read_chat_messages(objects))


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (SimpleNamespace(content="x"), r"messages\[0\] is a SimpleNamespace, not an object with role and content"),
        (SimpleNamespace(role="user"), r"messages\[0\] is a SimpleNamespace"),
        (llm.Message, r"messages\[0\] is a type"),
        ({"role": "user", "parts": "x"}, r"messages\[0\].parts is a str, not a list"),
        (
            {"role": "model", "parts": [{"text": "x"}]},
            r"messages\[0\].parts\[0\].type is None; known are text, reasoning",
        ),
        ({"role": "user", "parts": ["x"]}, r"messages\[0\].parts\[0\].type is None"),
    ],
)
def test_what_is_no_message_is_said(message, error):
    with pytest.raises(InvalidMessagesError, match=error):
        read_chat_messages([message])
