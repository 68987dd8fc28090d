"""What conversations have that readers do not know: fields, words, types of values, each once with its place."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.readers import drift
from archive_pipeline.readers.drift import MAX_DISTINCT, Drift, Shape, known_shapes
from archive_pipeline.readers.registry import readers
from archive_pipeline_tests.exports import chain, chatgpt, claude
from benchmarks.fuzz import ai_studio as fuzz_ai_studio
from benchmarks.fuzz import atif as fuzz_atif
from benchmarks.fuzz import chatgpt as fuzz_chatgpt
from benchmarks.fuzz import claude_ai as fuzz_claude
from benchmarks.fuzz import claude_code as fuzz_claude_code
from benchmarks.fuzz import claude_design as fuzz_claude_design
from benchmarks.fuzz import cline as fuzz_cline
from benchmarks.fuzz import codex as fuzz_codex
from benchmarks.fuzz import continue_dev as fuzz_continue
from benchmarks.fuzz import copilot_chat as fuzz_copilot_chat
from benchmarks.fuzz import copilot_cli as fuzz_copilot_cli
from benchmarks.fuzz import crush as fuzz_crush
from benchmarks.fuzz import cursor as fuzz_cursor
from benchmarks.fuzz import deepseek as fuzz_deepseek
from benchmarks.fuzz import droid as fuzz_droid
from benchmarks.fuzz import gemini as fuzz_gemini
from benchmarks.fuzz import gemini_cli as fuzz_gemini_cli
from benchmarks.fuzz import goose as fuzz_goose
from benchmarks.fuzz import grok as fuzz_grok
from benchmarks.fuzz import hermes as fuzz_hermes
from benchmarks.fuzz import instructions as fuzz_instructions
from benchmarks.fuzz import le_chat as fuzz_le_chat
from benchmarks.fuzz import librechat as fuzz_librechat
from benchmarks.fuzz import llm as fuzz_llm
from benchmarks.fuzz import llm_spans as fuzz_llm_spans
from benchmarks.fuzz import lm_studio as fuzz_lm_studio
from benchmarks.fuzz import m365_copilot as fuzz_m365_copilot
from benchmarks.fuzz import microsoft_copilot as fuzz_microsoft_copilot
from benchmarks.fuzz import oasst as fuzz_oasst
from benchmarks.fuzz import open_webui as fuzz_open_webui
from benchmarks.fuzz import openai_messages as fuzz_openai_messages
from benchmarks.fuzz import opencode as fuzz_opencode
from benchmarks.fuzz import pi as fuzz_pi
from benchmarks.fuzz import qwen_code as fuzz_qwen_code
from benchmarks.fuzz import session_trace as fuzz_session_trace
from benchmarks.fuzz import sharegpt as fuzz_sharegpt
from benchmarks.fuzz import zed as fuzz_zed
from benchmarks.fuzz.marks import Marks


def found(source: str, *conversations: dict[str, Any]) -> list[tuple[str, str, str, int]]:
    seen = Drift()
    for place, conversation in enumerate(conversations):
        seen.look_at(source, conversation, f"f[{place}]")
    return [(item.kind, item.path, item.value, sightings.count) for item, sightings in seen.found.items()]


@pytest.mark.parametrize("source", sorted(readers()))
def test_what_is_known_of_a_source_is_written_down(source: str):
    assert source in readers()
    assert known_shapes(source) is not None


def test_usual_conversations_have_nothing_unknown():
    assert found("chatgpt", chatgpt("c", chain("a", "b"))) == []
    assert found("claude_ai", claude("u", "a", "b")) == []


def test_a_record_of_a_page_has_nothing_unknown():
    assert found("gemini", {"page": "gemini", "record": "<div>"}, {"page": "gemini", "bytes_of_record": 1}) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"new_field": 1}, ("key", "new_field", "number", 1)),
        ({"title": ["a"]}, ("value_type", "title", "array", 1)),
        ({"title": None}, None),
        ({"safe_urls": {"anything": [1]}}, None),
    ],
)
def test_a_change_of_a_conversation_is_told(change: dict[str, Any], told: tuple[str, str, str, int] | None):
    assert found("chatgpt", chatgpt("c", chain("a")) | change) == ([told] if told else [])


def test_ids_are_one_place_and_are_counted_together():
    conversation = chatgpt("c", chain("a", "b", "c"))
    for node in conversation["mapping"].values():
        node["message"]["metadata"] = {"new": {"inner": 1}}
        node["message"]["content"] = {"content_type": "hologram", "parts": [7]}
    assert found("chatgpt", conversation) == [
        ("content_type", "mapping.*.message.content.content_type", "hologram", 3),
        ("value_type", "mapping.*.message.content.parts[]", "number", 3),
        ("key", "mapping.*.message.metadata.new", "object", 3),
    ]


def test_a_field_of_any_name_is_known_and_one_that_is_named_is_compared():
    told = found("openai_messages", {"anything": [1], "messages": [{"role": "critic", "mood": {"x": 1}}]})
    assert told == [("content_type", "messages[].role", "critic", 1)]


def test_the_first_place_is_kept():
    seen = Drift()
    for place in range(3):
        seen.look_at("claude_ai", claude("u", "a") | ({"x": 1} if place else {}), f"f[{place}]")
    other = Drift()
    other.add(seen)
    [sightings] = other.found.values()
    assert (sightings.count, sightings.first_locator) == (2, "f[1]")


def test_a_hostile_file_gives_so_many_and_no_more():
    assert len(found("chatgpt", {"mapping": {}, **{f"k{at}" * 90: 1 for at in range(2_000)}})) == MAX_DISTINCT
    assert all(len(path) <= 100 for _, path, _, _ in found("chatgpt", {"k" * 5_000: 1}))


def test_a_source_without_shapes_has_no_drift(monkeypatch: pytest.MonkeyPatch):
    assert found("nobody", {"a": 1}) == []
    with pytest.raises(ConfigurationError, match="a line that is none"):
        drift._add_line(Shape(), "sz : a", "nobody")


OF_UNKNOWN_TYPES = {
    "mapping.*.message.fragments[].style",
    "mapping.*.message.content.workspaces",
    "mapping.*.message.content.context_parts",
    "chat.history.messages.*.output[].anything",
    "lines[].payload.depth",
    "lines[].depth",
    "tables.transcript_events[].event_json.depth",
    "lines[].more",
    "requests[].response[].depth",
    "items[].depth",
    "messages[].content[].depth",
    "messages[].contentChunks[].depth",
    "messagesTree[].content[].depth",
    "messages[].versions[].content[].depth",
    "messages[].versions[].steps[].depth",
    *(
        f"{place}messages[].{name}"
        for place in ("", "tables.threads[].data.")
        for name in (
            *("segments[].depth", "User.content[].Hologram", "User.content[].Mention.uri.Hologram"),
            *("Agent.content[].Hologram", "Agent.content[].Image"),
        )
    ),
}


@pytest.mark.parametrize(
    ("source", "make"),
    [
        ("chatgpt", fuzz_chatgpt.conversation),
        ("claude_ai", fuzz_claude.conversation),
        ("codex", fuzz_codex.conversation),
        ("claude_code", fuzz_claude_code.session),
        ("claude_design", fuzz_claude_design.conversation),
        ("cline", fuzz_cline.conversation),
        ("continue", fuzz_continue.conversation),
        ("copilot_chat", fuzz_copilot_chat.conversation),
        ("cursor", fuzz_cursor.conversation),
        ("copilot_cli", fuzz_copilot_cli.conversation),
        ("crush", fuzz_crush.conversation),
        ("deepseek", fuzz_deepseek.conversation),
        ("droid", fuzz_droid.conversation),
        ("goose", fuzz_goose.conversation),
        ("grok", fuzz_grok.conversation),
        ("open_webui", fuzz_open_webui.conversation),
        ("openai_messages", fuzz_openai_messages.conversation),
        ("atif", fuzz_atif.conversation),
        ("ai_studio", fuzz_ai_studio.conversation),
        ("gemini", fuzz_gemini.conversation),
        ("gemini_cli", fuzz_gemini_cli.conversation),
        ("hermes", fuzz_hermes.conversation),
        ("instructions", fuzz_instructions.conversation),
        ("le_chat", fuzz_le_chat.conversation),
        ("librechat", fuzz_librechat.conversation),
        ("llm", fuzz_llm.conversation),
        ("llm_spans", fuzz_llm_spans.conversation),
        ("lm_studio", fuzz_lm_studio.conversation),
        ("m365_copilot", fuzz_m365_copilot.conversation),
        ("microsoft_copilot", fuzz_microsoft_copilot.conversation),
        ("opencode", fuzz_opencode.conversation),
        ("oasst", fuzz_oasst.conversation),
        ("pi", fuzz_pi.conversation),
        ("qwen_code", fuzz_qwen_code.conversation),
        ("sharegpt", fuzz_sharegpt.conversation),
        ("session_trace", fuzz_session_trace.conversation),
        ("zed", fuzz_zed.conversation),
    ],
)
def test_generated_conversations_differ_in_marks_and_made_up_words_only(source: str, make: Any):
    random = Random(source)  # noqa: S311 - a test's
    told = found(source, *(make(random, Marks()) for _ in range(300)))
    unknown_words = {value for kind, _, value, _ in told if kind == "content_type"}
    made_up = {"critic", "robot", "system", "tool", "TIP", "app_pairing_content", "super_widget", "hologram"}
    assert {word for word in unknown_words if not word.startswith("m")} <= made_up
    keys = {path for kind, path, _, _ in told if kind == "key"}
    assert {path for path in keys if not re.search(r"\.m\d+q$", path)} <= OF_UNKNOWN_TYPES
