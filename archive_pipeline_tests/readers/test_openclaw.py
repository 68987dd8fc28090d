"""What OpenClaw writes into sessions of Pi by itself: prompts, copies of answers, tags of replies."""

from __future__ import annotations

from typing import Any

import pytest

from archive_pipeline_tests.readers.test_pi import answer, parts, read, said, text, tree

OWN: dict[str, Any] = {"provider": "openclaw"}
MIRROR = OWN | {"model": "delivery-mirror"}


def own(name: str, parent: str, words: str, about: dict[str, Any]) -> dict[str, Any]:
    line = answer(name, parent, text(words))
    line["message"] |= about
    return line


def test_the_copy_of_an_answer_is_no_second_one():
    copied = own("03", "02", "At dusk.", MIRROR)
    record = read(
        said("01", None, "user", "Water them?"),
        answer("02", "01", text("[[reply_to_current]] At dusk.")),
        copied,
        own("04", "03", "sent by a tool", MIRROR),
        said("05", "04", "user", "When?"),
        own("06", "05", "At dusk.", MIRROR),
        own("07", "06", "At dusk.", OWN | {"model": "gateway-injected"}),
    )
    assert tree(record) == [("01", None), ("02", "01"), ("04", "02"), ("05", "04"), ("06", "05"), ("07", "06")]
    assert [message.model for message in record.messages] == [None, "claude-opus-4-5", *[None] * 4]
    assert record.messages[2].source["message"]["model"] == "delivery-mirror"
    assert record.source_json["lines"]["4"] == copied


@pytest.mark.parametrize(
    ("words", "about"),
    [
        ("A new session was started via /new or /reset. Run your Session Startup sequence", {}),
        ("Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.", {}),
        ("[OpenClaw heartbeat poll]", {}),
        ("Tell the news.", {"provenance": {"kind": "internal_system", "sourceTool": "cron"}}),
    ],
)
def test_prompts_that_nobody_typed_are_hidden_context(words: str, about: dict[str, Any]):
    record = read(said("01", None, "user", [text(words)], **about), said("02", "01", "user", f"What is {words}?"))
    assert [(message.role, message.is_hidden) for message in record.messages] == [("system", True), ("user", False)]
    assert parts(record, 0) == [("context", words)]


def test_a_prompt_that_nobody_typed_is_so_with_a_picture_too():
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    [message] = read(said("01", None, "user", [text("[OpenClaw heartbeat poll]"), picture])).messages
    assert (message.role, message.is_hidden, len(message.parts)) == ("system", True, 2)


def test_a_tag_that_never_ends_takes_linear_time():
    words = "[[reply_to:" + " " * 100_000 + "x"
    assert read(said("01", None, "user", "?"), answer("02", "01", text(words))).messages[1].parts[0].text == words


@pytest.mark.parametrize(
    ("words", "shown", "is_hidden"),
    [
        ("HEARTBEAT_OK", "HEARTBEAT_OK", True),
        ("[[reply_to_current]] NO_REPLY", "NO_REPLY", True),
        ("[[reply_to: 7]]\nIn the morning.", "In the morning.", False),
        ("[[ audio_as_voice ]][[reply_to_current]]", None, False),
        ("Say NO_REPLY or [[reply_to_current]]", "Say NO_REPLY or [[reply_to_current]]", False),
    ],
)
def test_tags_are_no_words_and_answers_without_any_are_hidden(words: str, shown: str | None, is_hidden: bool):
    [message] = read(answer("01", None, {"type": "thinking", "thinking": "hm"}, text(words))).messages
    assert (message.parts[1].text, message.is_hidden) == (shown, is_hidden)
    assert message.parts[1].source == (None if shown == words else {"text": words})
