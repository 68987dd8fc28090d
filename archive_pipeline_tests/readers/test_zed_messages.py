"""What the messages of Zed's threads say: prompts with mentions, answers, results, and those of early versions."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from archive_pipeline_tests.readers.said import parts, said
from archive_pipeline_tests.readers.zed_threads import (
    AGAIN,
    ASKED,
    CONTEXT,
    IMAGE,
    RESULT,
    TEXT,
    THINKING,
    UNKNOWN,
    USE,
    agent,
    call,
    early,
    read,
    result,
    thread,
    user,
)

LINES = {"start": 9, "end": 11}


def mention(uri: Any, content: str = "") -> dict[str, Any]:
    return {"Mention": {"uri": uri, "content": content}}


def test_a_mention_is_a_link_in_the_text_and_context_behind_it():
    file = mention({"File": {"abs_path": "/w/a b.rs"}}, "fn main() {}")
    record = read(thread(user(ASKED, {"Text": "Fix "}, file, {"Text": " now"})))
    [message] = record.messages
    assert parts(message) == [(TEXT, "Fix [@a b.rs](file:///w/a%20b.rs) now"), (CONTEXT, "fn main() {}")]
    assert (message.parts[1].uri, message.parts[1].source_type) == ("file:///w/a%20b.rs", "Mention")
    assert message.parts[1].source == {"uri": {"File": {"abs_path": "/w/a b.rs"}}}


@pytest.mark.parametrize(
    ("uri", "link"),
    [
        ({"Directory": {"abs_path": "/w/src"}}, "[@src](file:///w/src/)"),
        ({"Directory": {"abs_path": "C:\\w\\"}}, "[@w](file:///C:/w/)"),
        ({"File": {"abs_path": "C:\\w\\a.rs"}}, "[@a.rs](file:///C:/w/a.rs)"),
        (
            {"Symbol": {"path": "/w/a.rs", "name": "main", "line_range": LINES}},
            "[@main](file:///w/a.rs?symbol=main#L10:12)",
        ),
        ({"Selection": {"abs_path": "/w/a.rs", "line_range": LINES}}, "[@a.rs (10:12)](file:///w/a.rs#L10:12)"),
        (
            {"Selection": {"abs_path": "/w/a.rs", "line_range": LINES, "column": 4}},
            "[@a.rs (10:12)](file:///w/a.rs?column=5#L10:12)",
        ),
        ({"Selection": {"line_range": LINES}}, "[@Untitled (10:12)](zed:///agent/untitled-buffer#L10:12)"),
        ({"Thread": {"id": "t 1", "name": "Rain"}}, "[@Rain](zed:///agent/thread/t%201?name=Rain)"),
        ({"Thread": {"id": "\ud800", "name": "\ud800"}}, "[@\ud800](zed:///agent/thread/%3F?name=%3F)"),
        (
            {"TextThread": {"path": "/c/Rain.zed.json", "name": "Rain"}},
            "[@Rain](zed:///agent/text-thread/c/Rain.zed.json?name=Rain)",
        ),
        (
            {"Rule": {"id": {"User": {"uuid": "u"}}, "name": "My style"}},
            "[@My style](zed:///agent/rule/u?name=My+style)",
        ),
        ({"Rule": {"id": "CommitMessage", "name": "Commit"}}, "[@Commit](zed:///agent/rule/CommitMessage?name=Commit)"),
        ({"Rule": {"name": "Style"}}, "@Style"),
        ({"Fetch": {"url": "https://x/y"}}, "[@https://x/y](https://x/y)"),
        ({"Diagnostics": {"include_errors": True}}, "[@Diagnostics](zed:///agent/diagnostics)"),
        (
            {"Diagnostics": {"include_errors": True, "include_warnings": True}},
            "[@Diagnostics](zed:///agent/diagnostics?include_warnings=true)",
        ),
        (
            {"Diagnostics": {"include_errors": False, "include_warnings": False}},
            "[@Diagnostics](zed:///agent/diagnostics?include_errors=false)",
        ),
        ({"TerminalSelection": {"line_count": 1}}, "[@Terminal (1 line)](zed:///agent/terminal-selection?lines=1)"),
        ({"TerminalSelection": {"line_count": 3}}, "[@Terminal (3 lines)](zed:///agent/terminal-selection?lines=3)"),
        ({"GitDiff": {"base_ref": "main"}}, "[@Branch Diff (main)](zed:///agent/git-diff?base=main)"),
        (
            {"MergeConflict": {"file_path": "src/a.rs"}},
            "[@Merge Conflict (a.rs)](zed:///agent/merge-conflict?path=src%2Fa.rs)",
        ),
        (
            {"Skill": {"name": "fmt", "source": "w", "skill_file_path": "/s/fmt.md"}},
            "[@fmt](zed:///agent/skill?name=fmt&source=w&path=%2Fs%2Ffmt.md)",
        ),
        ("PastedImage", "[@Image](zed:///agent/pasted-image)"),
        ({"PastedImage": {"name": "a.png"}}, "[@a.png](zed:///agent/pasted-image?name=a.png)"),
        ({"Hologram": {"path": "/w/a.rs"}}, "@a.rs"),
        ({"Hologram": 3}, "@Hologram"),
    ],
)
def test_what_is_mentioned_is_named_with_its_place(uri: Any, link: str):
    [message] = read(thread(user(ASKED, mention(uri)))).messages
    assert parts(message) == [(TEXT, link), (CONTEXT, None)]
    assert message.parts[1].source == {"uri": uri}


def test_pictures_stand_between_texts_and_have_the_hash_of_their_content():
    picture = {"source": base64.b64encode(b"png").decode(), "size": {"width": 1, "height": 2}}
    record = read(thread(user(ASKED, {"Text": "a"}, {"Image": picture}, {"Text": "b"}, {"Text": ""}, {"Video": 1})))
    [message] = record.messages
    assert parts(message) == [(TEXT, "a"), (IMAGE, None), (TEXT, "b"), (UNKNOWN, None)]
    image = message.parts[1]
    assert (image.mime_type, image.content_sha256) == ("image/png", hashlib.sha256(b"png").hexdigest())
    assert image.source == {"Image": picture}
    assert record.warnings == {"unknown_part:Video": 1}


def test_calls_keep_what_the_model_wrote_where_it_was_read_as_something_else():
    whole = call("c1", "edit", {"a": [1, 2]}, '{ "a": [1, 2] }')
    cut = call("c2", "edit", {"a": [1]}, '{"a": [1, 2')
    flag = call("c3", "edit", {"a": True}, '{"a": 1}')
    [message] = read(thread(agent({"RedactedThinking": "xyz"}, whole, cut, flag))).messages
    assert parts(message) == [(THINKING, None), (USE, None), (USE, None), (USE, None)]
    assert message.parts[0].source == {"RedactedThinking": "xyz"}
    assert message.parts[1].source == {"is_input_complete": True}
    assert [part.source["raw_input"] for part in message.parts[2:]] == ['{"a": [1, 2', '{"a": 1}']


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("rain", "rain"),
        ({"Text": "rain"}, "rain"),
        ({"type": "text", "text": "rain"}, "rain"),
        ({"Type": "Text", "Text": "rain"}, "rain"),
        ([{"Text": "rain"}, {"Text": "wind"}], "rain\n\nwind"),
        (None, None),
    ],
)
def test_results_are_read_in_the_forms_of_all_versions(content: Any, text: str | None):
    answer = agent(call("c1", "weather", {}), results={"c1": result("c1", content, is_error=True)})
    found = read(thread(answer))
    part = found.messages[1].parts[0]
    assert (found.messages[1].role, part.part_type, part.text, part.is_error) == ("tool", RESULT, text, True)
    assert (part.source, found.warnings) == (None, {})


@pytest.mark.parametrize(
    "item",
    [
        {"type": ["text"], "text": "rain"},
        {"Text": "rain", "text": "wind"},
        {"type": "text", "Type": "Text", "text": "rain"},
    ],
)
def test_an_item_of_a_result_that_zed_would_not_read_is_kept_as_it_is(item: dict[str, Any]):
    [_, answer] = read(thread(agent(call("c1", "weather", {}), results={"c1": result("c1", [item, "wet"])}))).messages
    assert parts(answer) == [(RESULT, "wet")]
    assert answer.parts[0].source == {"content": [item]}


def test_results_keep_pictures_outputs_and_what_is_unknown():
    picture = {"Image": {"source": base64.b64encode(b"png").decode(), "size": None}}
    given = result("other", [{"Text": "ok"}, picture, {"sound": 1}], output={"diff": "+a"})
    answers = agent(results={"c1": given, "c2": "odd"})
    record = read(thread(user(ASKED, {"Text": "x"}), answers))
    message = record.messages[1]
    assert (message.source_id, message.role) == (f"{ASKED}-1-results", "tool")
    assert parts(message) == [(RESULT, "ok"), (IMAGE, None), (UNKNOWN, None)]
    assert message.parts[0].source == {"tool_use_id": "other", "content": [{"sound": 1}], "output": {"diff": "+a"}}
    assert (message.parts[0].tool_use_id, message.parts[1].tool_use_id) == ("c1", "c1")
    assert record.warnings == {"unpaired_tool_result": 1, "unknown_part:ToolResult": 1}


def test_what_zed_puts_between_messages_is_hidden_context():
    native = {"ProviderNative": {"provider": "openai", "items": [{"a": 1}]}}
    record = read(
        thread(user(ASKED, {"Text": "x"}), "Resume", {"Compaction": {"Summary": "S"}}, {"Compaction": native})
    )
    assert said(record)[1:] == [
        ("system", [(CONTEXT, None)]),
        ("system", [(CONTEXT, "S")]),
        ("system", [(CONTEXT, None)]),
    ]
    assert all(item.is_hidden for item in record.messages[1:])
    assert [item.parts[0].source for item in record.messages[1:]] == ["Resume", None, {"Compaction": native}]


def test_ids_stay_when_a_thread_grows_and_no_two_are_the_same():
    before = read(thread(user(ASKED, {"Text": "a"}), agent({"Text": "b"})))
    after = read(
        thread(
            *(user(ASKED, {"Text": "a"}), agent({"Text": "b"}), agent({"Text": "c"})),
            *(user(AGAIN, {"Text": "d"}), user(ASKED, {"Text": "a"}), agent({"Text": "b"})),
        )
    )
    ids = [item.source_id for item in after.messages]
    assert ids[:2] == [item.source_id for item in before.messages]
    assert ids[4:] == [f"{ASKED}-again-1", f"{ASKED}-again-1-1"]
    assert len(set(ids)) == len(ids)


def test_a_prompt_that_says_nothing_is_kept_by_its_number():
    record = read(thread(user(ASKED), agent(), agent({"Text": "b"})))
    assert [item.source_id for item in record.messages] == [f"{ASKED}-2"]
    assert set(record.source_json["messages"]) == {"1", "2"}
    assert record.warnings == {}


OLD_CALL = {"id": "c1", "name": "weather", "input": {"at": "x"}}
OLD_RESULT = {"tool_use_id": "c1", "is_error": False, "content": "rain", "output": None}


def test_version_0_2_0_has_segments_calls_and_results_in_one_message():
    segments = [{"type": "thinking", "text": "Look.", "signature": "s"}, {"type": "text", "text": "I will look."}]
    redacted = {"type": "RedactedThinking", "data": [1, 2]}
    crease = {"start": 0, "end": 1, "icon_path": "i", "label": "a.rs"}
    prompt = {
        "id": 0,
        "role": "user",
        "segments": [{"type": "text", "text": "Wet?"}],
        "context": "<files>",
        "creases": [crease],
    }
    answer = {"id": 1, "role": "assistant", "segments": [*segments, redacted], "tool_uses": [OLD_CALL]}
    record = read(
        early(
            "0.2.0",
            *(prompt, {**answer, "tool_results": [OLD_RESULT], "is_hidden": False}),
            {"id": 2, "role": "user", "segments": [{"type": "text", "text": "Go on"}], "is_hidden": True},
            {"id": 3, "role": "system", "segments": [{"type": "hologram", "text": "?"}]},
            model={"provider": "zed.dev", "model": "m"},
        )
    )
    assert said(record) == [
        ("user", [(CONTEXT, "<files>"), (TEXT, "Wet?")]),
        ("assistant", [(THINKING, "Look."), (TEXT, "I will look."), (THINKING, None), (USE, None)]),
        ("tool", [(RESULT, "rain")]),
        ("user", [(TEXT, "Go on")]),
        ("system", [(UNKNOWN, None)]),
    ]
    assert [item.source_id for item in record.messages] == ["0", "1", "1-results", "2", "3"]
    assert [item.is_hidden for item in record.messages] == [False, False, False, True, True]
    assert record.messages[0].source == {"creases": [crease]}
    assert (record.messages[1].model, record.messages[1].parts[2].source) == ("m", {"data": [1, 2]})
    assert record.messages[2].parts[0].tool_name == "weather"
    assert record.warnings == {"unknown_part:hologram": 1}


@pytest.mark.parametrize("words", ["Here are the tool results.", "And be quick."])
def test_version_0_1_0_has_results_in_the_users_name(words: str):
    record = read(
        early(
            "0.1.0",
            {"id": 1, "role": "assistant", "segments": [], "tool_uses": [OLD_CALL], "tool_results": []},
            {"id": 2, "role": "user", "segments": [{"type": "text", "text": words}], "tool_results": [OLD_RESULT]},
        )
    )
    is_zeds = words.startswith("Here")
    results = [(RESULT, "rain"), (CONTEXT, words)] if is_zeds else [(RESULT, "rain")]
    own = [] if is_zeds else [("user", [(TEXT, words)])]
    assert said(record) == [("assistant", [(USE, None)]), ("tool", results), *own]
    assert record.warnings == {}


def test_what_results_in_the_users_name_say_beside_them_is_kept():
    segment = {"type": "text", "text": "Here are the tool results.", "lang": "en"}
    given = {"id": 2, "role": "user", "segments": [segment], "tool_results": [OLD_RESULT], "is_hidden": True}
    [message] = read(early("0.1.0", given)).messages
    assert parts(message) == [(RESULT, "rain"), (CONTEXT, "Here are the tool results.")]
    assert (message.role, message.is_hidden, message.source) == ("tool", True, {"role": "user"})
    assert message.parts[1].source == {"lang": "en"}


def test_before_there_were_versions_a_message_was_one_text():
    record = read(early(None, {"id": 7, "role": "user", "text": "Wet?", "tool_uses": [], "tool_results": []}))
    assert (record.title, said(record), record.messages[0].source_id) == ("Rain", [("user", [(TEXT, "Wet?")])], "7")


def test_numbers_of_messages_are_told_apart_by_their_thread():
    message = {"id": 7, "role": "user", "text": "Wet?", "tool_uses": [], "tool_results": []}
    stored = {"id": "t", "summary": "Rain", "data": early(None, message, message)}
    record = read({"database": "zed", "conversation_id": "t", "tables": {"threads": [stored]}})
    assert [item.source_id for item in record.messages] == ["t-7", "t-7-again-1"]
