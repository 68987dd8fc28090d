"""Interrupted and failed answers: what is whole before and behind them is exported, and they are never trained."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.domain.choices import EXPORT_ROLES
from archive_pipeline.export.answers import answered_turns
from archive_pipeline.export.chat import turns, turns_by_state
from archive_pipeline.export.run import Exported
from archive_pipeline.export.turns import Turn
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.retrieval.reading.dialogues import Dialogue
from archive_pipeline.retrieval.reading.messages import Message, Part
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.export.rules import check_openai, check_sharegpt
from archive_pipeline_tests.readers.claude_code.lines import SESSION, answer, call, result, said, text, uuid

LINES = [
    said("u0", None, 0, "q0"),
    answer("a0", "u0", 1, "m0", text("a0.")),
    said("u1", "a0", 2, "q1"),
    answer("e1", "u1", 3, "m1", text("API Error: 529"), isApiErrorMessage=True),
    said("u2", "e1", 4, "q2"),
    answer("a2", "u2", 5, "m2", text("a2.")),
    answer("e2", "a2", 6, "m3", text("API Error: 500"), isApiErrorMessage=True),
    said("u3", "e2", 7, "q3"),
    answer("c3", "u3", 8, "m4", call("c3", "Read", path="a")),
    result("r3", "c3", 9, "c3", "file a"),
    answer("a3", "r3", 10, "m5", text("a3.")),
    said("u4", "a3", 11, "q4"),
    answer("c4", "u4", 12, "m6", call("c4", "Read", path="b")),
    result("r4", "c4", 13, "c4", "file b"),
    answer("h4", "r4", 14, "m7", text("Half")),
    said("u5", "h4", 15, "q5"),
    answer("a5", "u5", 16, "m8", text("a5.")),
]
BEFORE = ["q0", "a0.", "q1\n\nq2", "a2.", "q3", "", "file a", "a3.", "q4", "", "file b"]
LEFT_OUT = {"failed answers": 2, "interrupted answers": 1}


@pytest.fixture
def interrupted(filled: Database, settings: Settings, tmp_path: Path) -> dict[str, Any]:
    """A session with two failed requests, and an answer that was interrupted; the choice of it."""
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)), encoding="utf-8")
    import_archive(filled, read_paths([path]))
    build_stale(filled, settings)
    with filled.session() as connection:
        connection.execute("UPDATE raw.messages SET state = 'aborted' WHERE source_id = %s", [uuid("h4")])
    return {"sources": ("claude_code",), "redact": False}


Rows = Callable[..., list[dict[str, Any]]]


@pytest.mark.postgres
def test_what_is_whole_around_interrupted_answers_is_trained(
    interrupted: dict[str, Any], rows: Rows, exported: Callable[..., Exported]
):
    [line] = rows("openai", **interrupted)
    check_openai(line)
    assert [message["content"] for message in line["messages"]] == [*BEFORE, "Half", "q5", "a5."]
    assert [message["content"] for message in line["messages"] if "weight" in message] == ["Half"]
    [line] = rows("trl-sft", **interrupted)
    assert [message["content"] for message in line["messages"]] == [*BEFORE, "q5", "a5."]
    for name in ("openai", "trl-sft"):
        assert exported(name, **interrupted).manifest["left_out"] == LEFT_OUT


@pytest.mark.postgres
def test_an_interrupted_answer_is_in_prompts_and_is_no_completion(interrupted: dict[str, Any], rows: Rows):
    found = rows("trl-sft", shape="prompt-completion", **interrupted)
    assert [line["completion"][0]["content"] for line in found] == ["a0.", "a2.", "", "a3.", "", "a5."]
    assert [message["content"] for message in found[-1]["prompt"]] == [*BEFORE, "Half", "q5"]


@pytest.mark.postgres
def test_sharegpt_alternates_also_where_the_user_speaks_behind_results(
    interrupted: dict[str, Any], rows: Rows, exported: Callable[..., Exported]
):
    [line] = rows("sharegpt", **interrupted)
    check_sharegpt(line)
    said = [message["value"] for message in line["conversations"]]
    assert said[:5] == BEFORE[:5]
    assert said[6:] == ["file a", "a3.", "q4\n\nq5", "a5."]
    assert exported("sharegpt", **interrupted).manifest["left_out"] == {**LEFT_OUT, "calls without an answer": 1}


@pytest.mark.postgres
def test_traces_have_what_was_interrupted_and_no_errors(interrupted: dict[str, Any], exported: Callable[..., Exported]):
    whole = [*BEFORE, "Half", "q5", "a5."]
    traces = exported("traces", **interrupted)
    lines = (traces.path / traces.files[0].path).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["message"]["content"] for line in lines[1:]] == whole
    atif = exported("atif", **interrupted)
    steps = json.loads((atif.path / atif.files[0].path).read_bytes())["steps"]
    assert [step["message"] for step in steps] == [words for words in whole if not words.startswith("file")]
    assert traces.manifest["left_out"] == atif.manifest["left_out"] == {"failed answers": 2}


def part(kind: str, words: str | None = None, call_id: str | None = None) -> Part:
    return Part(kind, words, "look_up" if call_id else None, call_id, None, None, None, None, None)


def message(role: str, *parts: Part, state: str = "complete") -> Message:
    return Message("", role, 0, None, None, None, state, is_hidden=False, parts=list(parts))


def dialogue(*messages: Message) -> Dialogue:
    """One path of messages; turns are made of no more of a dialogue."""
    return Dialogue(cast("Any", None), list(messages), cast("Any", None), 0, 0)


def trained(messages: list[Message], *, has_context: bool) -> tuple[list[Turn], Counter[str]]:
    counts = Counter[str]()
    found = turns_by_state(dialogue(*messages), range(len(messages)), EXPORT_ROLES, counts)
    return answered_turns(found, counts, has_context=has_context), counts


def called(name: str, state: str = "complete") -> list[Message]:
    return [
        message("assistant", part("tool_use", call_id=name), state=state),
        message("tool", part("tool_result", f"result of {name}", name)),
    ]


def test_what_builds_on_an_interrupted_call_is_left_out_where_the_call_is():
    messages = [
        message("user", part("text", "q0")),
        *called("c", "aborted"),
        message("assistant", part("text", "By c.")),
        message("user", part("text", "q1")),
        message("assistant", part("text", "a1.")),
        message("user", part("text", "q2")),
    ]
    found, counts = trained(messages, has_context=False)
    assert [turn.content for turn in found] == ["q0\n\nq1", "a1."]
    assert counts == {
        "interrupted answers": 1,
        "turns behind interrupted or failed calls": 1,
        "turns behind the last whole answer": 1,
    }
    found, counts = trained(messages, has_context=True)
    assert [(turn.content, turn.is_complete) for turn in found] == [
        ("q0", True), ("", False), ("By c.", True), ("q1", True), ("a1.", True)
    ]  # fmt: skip
    assert counts == {"interrupted answers": 1, "turns behind the last whole answer": 1}


def test_what_goes_on_with_interrupted_words_is_no_whole_answer():
    messages = [
        message("user", part("text", "q0")),
        message("assistant", part("text", "Once upon"), state="aborted"),
        message("assistant", part("text", "a time.")),
    ]
    assert trained(messages, has_context=True) == ([], {"interrupted answers": 1})
    [_, told] = turns(dialogue(*messages), range(3), EXPORT_ROLES, Counter())
    assert told.content == "Once upon\n\na time."


@pytest.mark.parametrize(
    ("kinds", "state", "told", "counts"),
    [
        (["error"], "complete", ["q0\n\nq1", "a1."], {"failed answers": 1}),
        (["thinking", "error"], "complete", ["q0\n\nq1", "a1."], {"failed answers": 1}),
        (["text", "error"], "complete", ["q0", "text", "q1", "a1."], {"error parts": 1}),
        (["text", "error"], "error", ["q0\n\nq1", "a1."], {"failed answers": 1, "error parts": 1}),
        (["thinking"], "aborted", ["q0\n\nq1", "a1."], {"interrupted answers": 1}),
        ([], "in_progress", ["q0\n\nq1", "a1."], {"interrupted answers": 1}),
    ],
)
def test_each_answer_that_is_not_whole_is_counted_once(
    kinds: list[str], state: str, told: list[str], counts: dict[str, int]
):
    messages = [
        message("user", part("text", "q0")),
        message("assistant", *(part(kind, kind) for kind in kinds), state=state),
        message("user", part("text", "q1")),
        message("assistant", part("text", "a1.")),
    ]
    found, left_out = trained(messages, has_context=False)
    assert [turn.content for turn in found] == told
    assert left_out == counts


KINDS = ("user", "whole", "cut", "failed", "call", "cut call", "thought")


def path_of(kinds: list[str]) -> Iterator[Message]:
    for number, kind in enumerate(kinds):
        words = f"{kind} {number}."
        if kind in ("call", "cut call"):
            yield from called(words, "aborted" if kind == "cut call" else "complete")
        elif kind == "user":
            yield message("user", part("text", words))
        elif kind == "failed":
            yield message("assistant", part("error", words), state="error")
        elif kind == "thought":
            yield message("assistant", part("thinking", words), state="aborted")
        else:
            yield message("assistant", part("text", words), state="aborted" if kind == "cut" else "complete")


def whole_answers(kinds: list[str]) -> Iterator[str]:
    """Yield the texts of answers before which nothing was interrupted since the user spoke.

    What is said right before a call is a part of it, and no answer.
    """
    is_whole = True
    for number, kind in enumerate(kinds):
        is_whole = kind == "user" or (is_whole and kind not in ("cut", "cut call"))
        following = (then for then in kinds[number + 1 :] if then not in ("failed", "thought", "whole"))
        if kind == "whole" and is_whole and next(following, None) != "call":
            yield f"{kind} {number}."


@given(st.lists(st.sampled_from(KINDS), max_size=14), st.booleans())
def test_every_whole_answer_is_trained_with_all_prompts_before_it(kinds: list[str], has_context: bool):
    found, counts = trained(list(path_of(kinds)), has_context=has_context)
    own = [turn.content for turn in found if turn.role == "assistant" and turn.is_complete]
    words = "\n\n".join(own).split("\n\n")
    assert set(whole_answers(kinds)) <= set(words)
    assert not found or (found[-1].role == "assistant" and found[-1].is_complete and not found[-1].calls)
    assert not any("failed" in turn.content or (not has_context and not turn.is_complete) for turn in found)
    assert all(one.role != other.role or one.results for one, other in pairwise(found))
    assert all([call.id for call in turn.calls] == [result.call_id for result in turn.results] for turn in found)
    if found:
        last = max(n for n, kind in enumerate(kinds) if f"{kind} {n}." in found[-1].content)
        prompts = [f"user {n}." for n, kind in enumerate(kinds[:last]) if kind == "user"]
        assert "\n\n".join(turn.content for turn in found if turn.role == "user").split("\n\n") == (prompts or [""])
    assert counts["failed answers"] == kinds.count("failed")
