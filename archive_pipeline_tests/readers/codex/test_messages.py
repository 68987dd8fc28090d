"""Codex's items as messages: what is one, who says it, what calls and their outputs become."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from archive_pipeline.domain.records import JsonText
from archive_pipeline_tests.readers.codex.sessions import (
    ENVIRONMENT,
    SECOND_TURN,
    SESSION,
    answered,
    called,
    event,
    line,
    meta,
    read,
    said,
    thought,
    told,
    turn,
)


def test_what_the_model_says_and_does_between_outputs_is_one_message():
    record = read(
        meta(),
        said("developer", "Be careful."),
        ENVIRONMENT,
        turn(),
        said("user", "What is here?"),
        called("c1"),
        thought("Looking", "around"),
        said("assistant", "I look."),
        called("c2"),
        answered("c1"),
        answered("c2", "b.txt"),
        thought("Done"),
        said("assistant", "Two files."),
    )
    assert told(record) == [
        ("system", [("context", "Be careful.")]),
        ("system", [("context", "<environment_context>\n  <cwd>/work/shop</cwd>\n</environment_context>")]),
        ("user", [("text", "What is here?")]),
        (
            "assistant",
            [
                ("tool_use", None),
                ("thinking", "Looking"),
                ("thinking", "around"),
                ("text", "I look."),
                ("tool_use", None),
            ],
        ),
        ("tool", [("tool_result", "a.txt")]),
        ("tool", [("tool_result", "b.txt")]),
        ("assistant", [("thinking", "Done"), ("text", "Two files.")]),
    ]
    ids = [message.source_id for message in record.messages]
    assert [message.parent_source_id for message in record.messages] == [None, *ids[:-1]]
    assert record.active_source_id == ids[-1]
    assert [message.is_hidden for message in record.messages] == [True, True, *[False] * 5]
    assert [message.model for message in record.messages] == [*[None] * 3, "gpt-5.5", None, None, "gpt-5.5"]
    assert record.messages[3].created_at == datetime(2026, 5, 13, 6, 3, 5, 161000, tzinfo=UTC)
    assert record.messages[3].source["lines"]["7"]["payload"]["encrypted_content"] == "gAAA"
    assert not record.warnings


def test_a_call_and_its_output_have_the_same_id_and_tool():
    record = read(meta(), called("c1"), answered("c1"))
    use, result = record.messages[0].parts[0], record.messages[1].parts[0]
    assert (use.tool_name, use.tool_use_id, use.tool_input) == ("exec_command", "c1", JsonText('{"cmd": "ls"}'))
    assert (result.tool_name, result.tool_use_id, result.is_error) == ("exec_command", "c1", None)


def test_the_model_of_a_message_is_that_of_its_own_turn():
    record = read(meta(), turn(), said("assistant", "One."), turn(SECOND_TURN, "gpt-6"), said("assistant", "Two."))
    assert [message.model for message in record.messages] == ["gpt-5.5", "gpt-6"]


@pytest.mark.parametrize(
    ("item", "tool", "call", "given"),
    [
        (
            {"type": "custom_tool_call", "name": "apply_patch", "input": "*** x", "call_id": "c"},
            *("apply_patch", "c", "*** x"),
        ),
        (
            {"type": "local_shell_call", "action": {"command": ["ls"]}, "id": "i"},
            *("local_shell", "i", {"command": ["ls"]}),
        ),
        (
            {"type": "web_search_call", "action": {"query": "q"}, "status": "completed"},
            *("web_search", None, {"query": "q"}),
        ),
        ({"type": "tool_search_call", "arguments": {"q": 1}, "call_id": "c"}, *("tool_search", "c", {"q": 1})),
        ({"type": "function_call", "name": "f", "arguments": "{broken", "call_id": "c"}, *("f", "c", "{broken")),
        ({"type": "telepathy_call", "input": "x", "call_id": "c"}, *("telepathy", "c", "x")),
    ],
)
def test_every_kind_of_call_has_its_tool_and_arguments(item: dict[str, Any], tool: str, call: str | None, given: Any):
    [message] = read(meta(), line("response_item", **item)).messages
    [use] = message.parts
    assert (message.role, use.part_type, use.source_type) == ("assistant", "tool_use", item["type"])
    assert (use.tool_name, use.tool_use_id, use.tool_input) == (tool, call, given)


@pytest.mark.parametrize(
    ("output", "text", "is_error", "source"),
    [
        ("plain", "plain", None, None),
        ("", None, None, None),
        (
            "Chunk ID: 1\nProcess exited with code 1\nOutput:\nno",
            "Chunk ID: 1\nProcess exited with code 1\nOutput:\nno",
            True,
            None,
        ),
        ("Exit code: 0\nOutput:\nExit code: 1\n", "Exit code: 0\nOutput:\nExit code: 1\n", False, None),
        ("Output:\nProcess exited with code 1", "Output:\nProcess exited with code 1", True, None),
        ('{"output":"done","metadata":{"exit_code":2}}', "done", True, '{"output":"done","metadata":{"exit_code":2}}'),
        ('{"output":"done"}', '{"output":"done"}', None, None),
        ('{"output":broken', '{"output":broken', None, None),
        *((text, text, None, None) for text in ('[{"type":"text","text":"a"}]', '[{"type":"image"}]', '[{"a"')),
        ({"content": "no", "success": False, "more": 1}, "no", True, {"more": 1}),
        ({"content": [{"type": "text", "text": "a"}, "b"], "is_error": False}, "a\n\nb", False, None),
        ([{"type": "input_text", "text": "a"}], "a", None, [{"type": "input_text"}]),
        (7, None, None, 7),
    ],
)
def test_outputs_of_every_shape_are_read(output: Any, text: str | None, is_error: bool | None, source: Any):
    [_, message] = read(meta(), called("c1"), answered("c1", output)).messages
    [result] = message.parts
    assert (message.role, result.text, result.is_error) == ("tool", text, is_error)
    assert result.source == (None if source is None else {"output": source})


def test_pictures_of_users_and_tools_are_parts_with_the_hash_of_their_content():
    picture = {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "high"}
    digest = hashlib.sha256(b"hi").hexdigest()
    asked = line("response_item", type="message", role="user", content=[
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        picture,
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "What is it?"},
        {"type": "input_image", "image_url": "https://a.example/b.png"},
    ])  # fmt: skip
    record = read(meta(), asked, called("c1", "view_image"), answered("c1", [picture]))
    parts = record.messages[0].parts
    assert [part.part_type.value for part in parts] == ["context", "image", "context", "text", "image"]
    assert (parts[1].mime_type, parts[1].content_sha256, parts[4].uri) == (
        "image/png",
        digest,
        "https://a.example/b.png",
    )
    assert parts[1].source == {"image_url": picture["image_url"], "detail": "high"}
    result, shown = record.messages[2].parts
    assert (result.part_type, shown.part_type, shown.tool_use_id, shown.content_sha256) == (
        *("tool_result", "image", "c1"),
        digest,
    )


@pytest.mark.parametrize(("spacing", "is_kept"), [((",", ":"), False), ((", ", ": "), True)])
def test_blocks_of_mcp_that_a_text_has_are_read_where_a_picture_is_among_them(spacing: tuple[str, str], is_kept: bool):
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    output = json.dumps([picture, {"type": "text", "text": "caption"}], separators=spacing)
    [_, message] = read(meta(), called("c1", "shot"), answered("c1", output)).messages
    result, shown = message.parts
    assert (result.text, result.source) == ("caption", {"output": output} if is_kept else None)
    assert (shown.part_type, shown.mime_type, shown.tool_use_id) == ("image", "image/png", "c1")
    assert (shown.content_sha256, shown.source) == (hashlib.sha256(b"hi").hexdigest(), {"data": "aGk="})


def test_a_text_that_is_deeper_json_than_is_written_is_kept():
    output = '[{"type":"image","data":"aGk=","x":' + "[" * 300 + "]" * 300 + "}]"
    [_, message] = read(meta(), called("c1", "shot"), answered("c1", output)).messages
    assert message.parts[0].source == {"output": output}


def test_a_picture_that_was_made_comes_with_its_call():
    made = line("response_item", type="image_generation_call", id="ig", result="aGk=", revised_prompt="a cat")
    use, shown = read(meta(), made).messages[0].parts
    assert (use.tool_name, use.tool_input) == ("image_generation", "a cat")
    assert (shown.part_type, shown.content_sha256) == ("image", hashlib.sha256(b"hi").hexdigest())


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/a</cwd>\n</environment_context>",
        "<ENVIRONMENT_CONTEXT>x</environment_context>\n",
        "# AGENTS.md instructions for /a\n\n<INSTRUCTIONS>\nbe kind\n</INSTRUCTIONS>",
        "<user_instructions>\nbe kind\n</user_instructions>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
        "<user_shell_command>\n<command>ls</command>\n</user_shell_command>",
        '<codex_internal_context source="goal">\nx\n</codex_internal_context>',
        "<skill>\n<name>x</name>\n</skill>",
        "<recommended_plugins>\n- Google Drive (drive)\n</recommended_plugins>",
        "<external_browser>\nThe page says <b>hi</b>.\n</external_browser>",
        '<external_context source="tab" kind="untrusted">x</external_context>',
        "Warning: apply_patch was requested via shell. Use the apply_patch tool instead of exec_command.",
        "Warning: The maximum number of unified exec processes you can keep open is 60.",
        "Warning: Your account was flagged for potentially high-risk cyber activity and was rerouted.",
    ],
)
def test_what_codex_writes_itself_is_not_the_users(text: str):
    [message] = read(meta(), said("user", text)).messages
    assert (message.role, message.is_hidden) == ("system", True)
    assert [(part.part_type, part.text) for part in message.parts] == [("context", text)]


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context> is what?",
        "<external_link> is what?",
        "# AGENTS.md instructions",
        "<b>why</b>",
        "</image> ?",
    ],
)
def test_words_that_only_begin_like_codexs_own_are_the_users(text: str):
    [message] = read(meta(), said("user", text)).messages
    assert (message.role, message.parts[0].part_type) == ("user", "text")


def test_a_message_of_another_agent_is_a_tools_and_names_both():
    item = {"author": "/root", "recipient": "/root/a", "content": [{"type": "input_text", "text": "Count."}]}
    direct = line("inter_agent_communication", author="/root", recipient="/root/a", content="Count.")
    for given in (line("response_item", type="agent_message", **item), direct):
        [message] = read(meta(), given).messages
        assert (message.role, message.author_name, message.recipient) == ("tool", "/root", "/root/a")
        assert message.parts[0].text == "Count."


def test_what_is_not_known_is_kept_and_counted():
    strange = line("response_item", type="hologram", depth=3)
    block = line("response_item", type="message", role="assistant", content=[{"type": "smell", "text": "x"}])
    record = read(meta(), strange, block, line("future", text="x"), "noise", {"unreadable_line": "{"})
    [message] = record.messages
    assert [(part.part_type, part.source) for part in message.parts] == [
        ("unknown", {"type": "hologram", "depth": 3}),
        ("unknown", {"type": "smell", "text": "x"}),
    ]
    assert record.warnings == {"unknown_part:hologram": 1, "unknown_part:smell": 1, "malformed_message": 2}
    assert list(record.source_json["lines"]) == ["1", "4", "5", "6"]


def test_an_output_without_its_call_is_counted():
    assert read(meta(), answered("c9")).warnings == {"unpaired_tool_result": 1}


def test_a_role_nobody_knows_is_never_the_users_or_the_models():
    record = read(meta(), said("robot", "hello"))
    assert (record.messages[0].role, record.warnings) == ("system", {"unknown_role": 1})


def test_a_turn_that_was_stopped_leaves_its_last_answer_aborted():
    stopped = event("turn_aborted", reason="interrupted")
    first = [turn(), said("user", "Go"), said("assistant", "One."), called("c1"), stopped]
    record = read(meta(), *first, turn(SECOND_TURN), said("user", "Go on"), stopped, said("assistant", "Two."))
    assert [message.state for message in record.messages] == ["complete", "aborted", "complete", "complete"]


def test_a_compacted_history_is_kept_and_is_no_message():
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]}]
    compacted = line("compacted", message="All so far.", replacement_history=history)
    record = read(meta(), said("user", "Go"), said("assistant", "One."), compacted, said("assistant", "Two."))
    assert [message.role for message in record.messages] == ["user", "assistant", "assistant"]
    assert record.source_json["lines"]["4"] == compacted


def test_thoughts_without_words_make_no_message_of_their_own():
    record = read(meta(), thought())
    assert not record.messages
    assert list(record.source_json["lines"]) == ["1", "2"]


def test_lines_before_september_2025_are_bare():
    header = {"id": SESSION, "timestamp": "2025-08-01T10:00:00Z", "instructions": None, "git": {"branch": "main"}}
    items = [made["payload"] for made in (ENVIRONMENT, said("user", "Go"), thought("Hm"), called("c1"), answered("c1"))]
    record = read(header, {"record_type": "state"}, *items)
    assert (record.source_id, record.project_id) == (SESSION, "/work/shop")
    assert record.created_at == datetime(2025, 8, 1, 10, tzinfo=UTC)
    assert [message.role for message in record.messages] == ["system", "user", "assistant", "tool"]
    assert record.source_json["lines"] == {"1": header, "2": {"record_type": "state"}}
    assert json.dumps(record.messages[2].source)
