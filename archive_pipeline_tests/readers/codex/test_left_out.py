"""Sessions of Codex of which lines are left out: what is around them is read as if they were there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from archive_pipeline.readers.codex import READER
from archive_pipeline.readers.codex.recognition import is_copy
from archive_pipeline.readers.left_out_lines import LEFT_OUT_COPY, LEFT_OUT_LINE, stand_in
from archive_pipeline_tests.readers.codex.sessions import (
    TURN,
    answered,
    called,
    event,
    line,
    meta,
    read,
    said,
    session,
    thought,
    told,
    turn,
)

LONG = "x" * 5_000


def without(whole: dict[str, Any], name: str = LEFT_OUT_LINE) -> dict[str, Any]:
    """The stand-in of a line."""
    value: dict[str, Any] = json.loads(stand_in(whole, name, "line 9 at byte 99"))
    return value


@pytest.mark.parametrize(
    "between",
    [
        answered("c1", LONG),
        said("developer", LONG),
        line("compacted", message=LONG, replacement_history=[said("user", LONG)["payload"]]),
    ],
)
def test_a_message_ends_where_it_would_with_the_line(between: dict[str, Any]):
    lines = [meta(), turn(), said("user", "list"), called("c1"), between, called("c2")]
    whole, found = read(*lines), read(*[without(each) if each is between else each for each in lines])
    own = [message for message in whole.messages if LONG not in str(message.parts)]
    assert [(m.source_id, m.parts, m.created_at) for m in found.messages] == [
        (m.source_id, m.parts, m.created_at) for m in own
    ]
    assert [m.parent_source_id for m in found.messages] == [None, *(m.source_id for m in found.messages[:-1])]
    assert found.source_json["lines"]["5"] == without(between)


@pytest.mark.parametrize("between", [thought(LONG), called("c9", arguments=LONG), event("error", message=LONG)])
def test_a_message_goes_on_where_it_would_with_the_line(between: dict[str, Any]):
    lines = [meta(), turn(), called("c1"), between, called("c2")]
    (whole,), (found,) = (
        read(*lines).messages,
        read(*[without(each) if each is between else each for each in lines]).messages,
    )
    assert found.source_id == whole.source_id
    assert [part.tool_use_id for part in found.parts] == ["c1", "c2"]


def test_what_the_user_said_is_read_from_the_event_where_the_item_is_left_out():
    picture = {"type": "input_image", "image_url": "data:image/png;base64," + LONG}
    item = said("user", "what is it?")
    item["payload"]["content"].append(picture)
    lines = [meta(), turn(), item, event("user_message", message="what is it?"), said("assistant", "A cat.")]
    found = read(*lines[:2], without(item), *lines[3:])
    assert told(found) == [("user", [("text", "what is it?")]), ("assistant", [("text", "A cat.")])]
    assert [m.source_id for m in found.messages] == [m.source_id for m in read(*lines).messages]


def test_the_turn_and_its_model_are_known_where_their_line_is_left_out():
    context = turn() | {"payload": turn()["payload"] | {"user_instructions": LONG}}
    found = read(meta(), without(context), said("assistant", "one"))
    assert [(m.source_id, m.model) for m in found.messages] == [
        (m.source_id, "gpt-5.5") for m in read(meta(), context, said("assistant", "one")).messages
    ]
    assert found.source_json["lines"]["2"]["payload"]["turn_id"] == TURN


def test_the_history_that_a_compaction_repeats_is_a_copy_and_a_summary_alone_is_none():
    assert is_copy(line("compacted", message="", replacement_history=[said("user", "list")["payload"]]))
    assert not is_copy(line("compacted", message="So far.", replacement_history=None))
    assert not is_copy(turn())


def test_a_session_of_the_second_layout_is_recognised_without_some_of_its_lines():
    header = {"id": "s", "timestamp": "2025-07-01T10:00:00Z", "instructions": None}
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "list"}]}]
    behind = {LEFT_OUT_LINE: "line 3 at byte 99, and all that follows"}
    assert READER.recognise(session(header, *items, behind)).is_enough
    assert READER.recognise(session(header, without(header | {"x": LONG}, LEFT_OUT_COPY), *items)).is_enough


def test_a_prompt_that_no_line_says_is_a_message_whose_id_stays():
    prompt = said("user", LONG)
    lines = [meta(), turn(), said("user", "list"), said("assistant", "one"), turn("0" * 8), prompt]
    found = read(*lines[:-1], without(prompt))
    assert told(found) == [*told(read(*lines[:-1])), ("user", [("unknown", None)])]
    assert found.messages[-1].source["lines"]["6"] == without(prompt)
    grown = read(*lines[:-1], without(prompt), said("assistant", "two"))
    assert grown.messages[:-1] == found.messages
    assert grown.messages[-1].parent_source_id == found.messages[-1].source_id


def test_two_prompts_that_no_line_says_are_two_messages():
    prompt = said("user", LONG)
    found = read(meta(), without(prompt), said("assistant", "one"), without(prompt) | {"left_out_line": "line 10"})
    assert [m.role for m in found.messages] == ["user", "assistant", "user"]
    assert len({m.source_id for m in found.messages}) == 3
