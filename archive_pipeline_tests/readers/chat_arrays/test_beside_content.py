"""What messages say beside ``content`` counts as what blocks say, and a tool's message is always a result."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace

import pytest

from archive_pipeline.domain.records import PartType
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.matching.asked import hash_conversation
from archive_pipeline.readers.chat_arrays.messages import read_chat_messages

HELLO = "aGVsbG8="
DATA_URL = f"data:image/png;base64,{HELLO}"
HELLO_SHA256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
IMAGE = {"role": "user", "content": "what is this?", "images": [HELLO]}
SPOKEN = {"id": "audio_1", "data": HELLO, "expires_at": 1, "transcript": "Good day"}


def context_hash(*canonical: str) -> str:
    """The hash of messages by docs/hashes.md, given the canonical JSON of each."""
    context = ""
    for message in canonical:
        own = hashlib.sha256(f"llm-archive/message/1\n{message}".encode()).hexdigest()
        context = hashlib.sha256(f"llm-archive/context/1\n{context}\n{own}".encode()).hexdigest()
    return context


@pytest.mark.parametrize(
    ("message", "canonical"),
    [
        (
            {"role": "assistant", "content": None, "refusal": "I cannot help"},
            '{"role":"assistant","text":"I cannot help"}',
        ),
        (IMAGE, f'{{"attachments":["{HELLO_SHA256}"],"role":"user","text":"what is this?"}}'),
        (
            {"role": "assistant", "content": None, "audio": SPOKEN},
            f'{{"attachments":["{HELLO_SHA256}"],"role":"assistant","text":"Good day"}}',
        ),
        (
            {"role": "assistant", "audio": {"id": "audio_1"}},
            f'{{"attachments":["url:{hashlib.sha256(b"audio_1").hexdigest()}"],"role":"assistant"}}',
        ),
        ({"role": "tool", "tool_call_id": "c", "content": None}, '{"role":"tool","tool_results":[{}]}'),
        ({"role": "tool", "tool_call_id": "c", "content": ""}, '{"role":"tool","tool_results":[{}]}'),
        (
            {"role": "tool", "tool_call_id": "c", "content": "seen", "images": [HELLO]},
            f'{{"role":"tool","tool_results":[{{"attachments":["{HELLO_SHA256}"],"output":"seen"}}]}}',
        ),
    ],
)
def test_it_is_hashed_as_the_contract_says(message, canonical):
    asked = hash_conversation([{"role": "user", "content": "Hi"}, message])
    assert (asked.ignored, asked.context_hash) == (0, context_hash('{"role":"user","text":"Hi"}', canonical))


@pytest.mark.parametrize(
    ("beside", "as_block"),
    [
        (
            {"role": "assistant", "content": None, "refusal": "I cannot help"},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot help"}]},
        ),
        (
            {"role": "user", "content": "look", "images": [HELLO]},
            {"role": "user", "content": ["look", {"type": "image", "source": {"data": HELLO}}]},
        ),
        (
            {"role": "assistant", "content": "here", "images": [{"type": "image_url", "image_url": {"url": DATA_URL}}]},
            {"role": "assistant", "content": ["here", {"type": "image_url", "image_url": {"url": DATA_URL}}]},
        ),
    ],
)
def test_it_is_read_as_the_block_is(beside, as_block):
    assert read_chat_messages([beside]) == read_chat_messages([as_block])


def test_of_audio_the_content_is_kept_and_the_transcript_is_text():
    (read,) = read_chat_messages([{"role": "assistant", "content": None, "audio": SPOKEN}])
    audio, words = read.record.parts
    assert (audio.part_type, audio.content_sha256, audio.uri) == (PartType.AUDIO, HELLO_SHA256, None)
    assert audio.source == {"type": "audio", "audio": SPOKEN}
    assert (words.part_type, words.text) == (PartType.TEXT, "Good day")


def test_objects_have_it_too():
    said = SimpleNamespace(role="assistant", content=None, refusal="no", audio=SimpleNamespace(model_dump=SPOKEN.copy))
    (read,) = read_chat_messages([said])
    assert [part.text for part in read.record.parts] == ["no", None, "Good day"]


def test_null_and_empty_say_nothing():
    for nothing in (None, False, {}, []):
        message = {"role": "assistant", "content": "Hi", "refusal": nothing, "audio": nothing, "images": nothing}
        (read,) = read_chat_messages([message])
        assert [part.text for part in read.record.parts] == ["Hi"]


@pytest.mark.parametrize("image", [HELLO, b"hello", DATA_URL])
def test_an_image_has_one_hash_however_a_client_takes_it(image):
    for images in ([image], image):
        (read,) = read_chat_messages([{"role": "user", "content": "?", "images": images}])
        assert [part.content_sha256 for part in read.record.parts] == [None, HELLO_SHA256]


@pytest.mark.parametrize("image", ["./cat.jpg", "https://example.com/x.png"])
def test_an_image_elsewhere_is_known_by_its_address(image):
    (read,) = read_chat_messages([{"role": "user", "content": "?", "images": [image]}])
    assert [part.uri for part in read.record.parts] == [None, image]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"refusal": 7}, r"messages\[0\].refusal is a int, not text"),
        ({"audio": {"transcript": "Hi"}}, r"messages\[0\].audio has neither content nor an address"),
        ({"audio": "Hi"}, r"messages\[0\].audio has neither content nor an address"),
    ],
)
def test_what_of_it_cannot_be_read_is_named(fields, error):
    with pytest.raises(InvalidMessagesError, match=error):
        read_chat_messages([{"role": "user", "content": "look", **fields}])
