"""Codex's files as dialogues: recognition, events, forks, growing files, and the law that nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.codex.dialogue import read_session
from archive_pipeline.readers.codex.recognition import is_line
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.codex.sessions import (
    ENVIRONMENT,
    SECOND_TURN,
    SESSION,
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
from archive_pipeline_tests.readers.work import growth

USER = said("user", "Go")
ASKED = event("user_message", message="Go", images=[], local_images=[])
SPOKEN = event("agent_message", message="Done.", phase="final_answer")
ENDED = event("task_complete", turn_id=TURN, last_agent_message="Done.")


def completed(name: str, **item: Any) -> dict[str, Any]:
    return event("item_completed", item={"type": name, **item})


COMPLETED = completed("AgentMessage", content=[{"type": "Text", "text": "Done."}])


@pytest.mark.parametrize("extra", [[SPOKEN], [COMPLETED], [ENDED], [SPOKEN, COMPLETED, ENDED]])
def test_events_that_repeat_an_item_are_no_second_message(extra: list[dict[str, Any]]):
    record = read(meta(), turn(), USER, ASKED, *extra, said("assistant", "Done."))
    assert told(record) == [("user", [("text", "Go")]), ("assistant", [("text", "Done.")])]
    assert set(record.source_json["lines"]) == {str(n) for n in (1, 2, *range(4, 5 + len(extra)))}


@pytest.mark.parametrize("answer", [[SPOKEN, ENDED], [COMPLETED, ENDED], [ENDED], [SPOKEN, COMPLETED]])
def test_what_only_events_say_is_read_once(answer: list[dict[str, Any]]):
    record = read(meta(), turn(), ENVIRONMENT, ASKED, event("agent_reasoning", text="Hm"), *answer)
    assert told(record)[1:] == [("user", [("text", "Go")]), ("assistant", [("thinking", "Hm"), ("text", "Done.")])]


def test_events_are_read_in_the_turn_that_has_no_item_and_in_no_other():
    record = read(meta(), turn(), USER, ASKED, said("assistant", "Done."), turn(SECOND_TURN), ASKED, SPOKEN)
    assert [(role, parts[0][1]) for role, parts in told(record)] == [
        *[("user", "Go"), ("assistant", "Done.")],
        *[("user", "Go"), ("assistant", "Done.")],
    ]


def test_completed_items_of_the_user_and_thoughts_are_read_where_nothing_else_says_it():
    asked = completed(
        "UserMessage", content=[{"type": "text", "text": "Go"}, {"type": "local_image", "path": "/a.png"}]
    )
    record = read(meta(), turn(), asked, completed("Reasoning", summary_text=["Hm"], raw_content=[]), COMPLETED)
    assert told(record) == [
        ("user", [("text", "Go"), ("image", None)]),
        ("assistant", [("thinking", "Hm"), ("text", "Done.")]),
    ]
    assert record.messages[0].parts[1].uri == "/a.png"


def test_an_item_that_comes_after_its_event_does_not_change_the_id():
    begun, grown = read(meta(), turn(), USER, SPOKEN), read(meta(), turn(), USER, SPOKEN, said("assistant", "Done."))
    assert [m.source_id for m in begun.messages] == [m.source_id for m in grown.messages]


def test_the_first_line_says_what_the_session_is():
    named = event("thread_name_updated", thread_id=SESSION, thread_name="Shop")
    other = event("thread_name_updated", thread_id="another", thread_name="No")
    record = read(
        meta(git={"branch": "main"}), meta("another"), named, other, line("world_state", "2026-05-14T00:00:00Z")
    )
    assert (record.source, record.source_id, record.title, record.project_id) == (
        "codex",
        SESSION,
        "Shop",
        "/work/shop",
    )
    assert (record.created_at.isoformat(), record.updated_at.isoformat()) == (
        "2026-05-13T06:03:05+00:00",
        "2026-05-14T00:00:00+00:00",
    )
    assert record.source_json["lines"]["1"]["payload"]["git"] == {"branch": "main"}


PARENT = (
    turn(),
    said("developer", "Careful."),
    USER,
    thought("Hm"),
    called("c1"),
    answered("c1"),
    said("assistant", "Done."),
)


def restamped(lines: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    return [{**each, "timestamp": "2026-05-20T00:00:00Z"} for each in lines]


def test_a_fork_shares_the_ids_of_the_turns_that_it_repeats():
    parent = read(meta(), *PARENT, turn(SECOND_TURN), said("user", "More"))
    fork = read(meta("019a0003-1111-7222-8333-444455556666", forked_from_id=SESSION), meta(), *restamped(PARENT),
                turn("019a0003-2222-7222-8333-444455556666"), said("user", "More"))  # fmt: skip
    ids, forked = ([m.source_id for m in record.messages] for record in (parent, fork))
    assert ids[:-1] == forked[:-1]
    assert ids[-1] != forked[-1]
    assert all(UUID(name) for name in ids)
    assert fork.source_id != parent.source_id


def test_without_ids_of_turns_two_sessions_share_nothing():
    lines = [turn(None), *PARENT[1:]]
    ids, others = ({m.source_id for m in read(meta(name), *lines).messages} for name in (SESSION, TURN))
    assert not ids & others
    assert all("-" in name and len(name) < 30 for name in {m.source_id for m in read(*lines).messages})


@given(st.integers(1, 60), st.booleans())
def test_a_file_that_grows_keeps_the_ids_of_its_messages(size: int, has_turns: bool):
    lines: list[dict[str, Any]] = [meta()]
    for at in range(10):
        lines += [
            turn(str(UUID(int=at)) if has_turns else None),
            USER,
            thought("Hm"),
            called(f"c{at}"),
            answered(f"c{at}"),
            ENDED,
        ]
    whole, begun = read(*lines), read(*lines[: size + 2])
    ids = [m.source_id for m in whole.messages]
    assert [m.source_id for m in begun.messages] == ids[: len(begun.messages)]
    assert len(set(ids)) == len(ids) == 40


def test_a_file_that_ends_anywhere_keeps_the_ids_of_its_messages():
    """What an event said before its item came is the same message once the item is there, which has more."""
    thoughts = ["First", "Second"]
    said_twice = [*(event("agent_reasoning", text=text) for text in thoughts), thought(*thoughts)]
    picture = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
    asked = line("response_item", type="message", role="user", content=[{"type": "input_text", "text": "Go"}, picture])
    answer = line(
        "response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "Done."}], phase="x"
    )
    lines = [meta(), turn(), ENVIRONMENT, ASKED, asked]
    for call in ("c1", "c2"):
        lines += [*said_twice, called(call), answered(call)]
    lines += [
        turn(SECOND_TURN),
        ASKED,
        asked,
        thought(),
        event("agent_reasoning", text="Only an event"),
        SPOKEN,
        answer,
    ]
    ids = [message.source_id for message in read(*lines).messages]
    for size in range(2, len(lines)):
        begun = [message.source_id for message in read(*lines[:size]).messages]
        assert begun == ids[: len(begun)]
    assert len(set(ids)) == len(ids) == 8


def test_turns_that_were_taken_back_are_a_branch():
    record = read(
        meta(), said("developer", "Careful."), turn(), said("user", "One"), said("assistant", "1"),
        ENVIRONMENT, said("user", "Two"), said("assistant", "2"), event("thread_rolled_back", num_turns=1),
        said("user", "Three"), said("assistant", "3"),
    )  # fmt: skip
    ids = {(m.parts[0].text or "")[:5]: m.source_id for m in record.messages}
    parents = {(m.parts[0].text or "")[:5]: m.parent_source_id for m in record.messages}
    assert parents == {
        "Caref": None,
        "One": ids["Caref"],
        "1": ids["One"],
        "<envi": ids["1"],
        "Two": ids["<envi"],
        "2": ids["Two"],
        "Three": ids["1"],
        "3": ids["Three"],
    }
    assert record.active_source_id == ids["3"]


@pytest.mark.parametrize(
    ("turns", "above"), [(1, "One"), (2, "Careful."), (9, "Careful."), (0, "Two"), ("x", "Two"), (True, "One")]
)
def test_going_back_stops_before_the_first_question(turns: Any, above: str):
    record = read(meta(), said("developer", "Careful."), said("user", "One"), said("user", "Two"),
                  event("thread_rolled_back", num_turns=turns))  # fmt: skip
    texts = {m.source_id: m.parts[0].text for m in record.messages}
    assert texts[record.active_source_id] == above


def test_a_session_without_lines_is_rejected():
    assert isinstance(read_session({"file": "x"}, "x"), RejectedRecord)


@pytest.mark.parametrize(
    "value",
    [meta(), USER, turn(), SPOKEN, {"record_type": "state"}, {"id": "a", "timestamp": "b", "instructions": None}],
)
def test_lines_are_known(value: dict[str, Any]):
    assert is_line(value)


@pytest.mark.parametrize(
    "value",
    [
        {"type": "user", "uuid": "u", "message": {"role": "user"}},
        {"type": "session", "id": "a", "timestamp": "b", "cwd": "/"},
        {"type": "message", "id": "a", "message": {"role": "user", "content": []}},
        {"id": "a", "thread_name": "b", "updated_at": "c"},
        {"id": "a", "timestamp": "b"},
        {"id": "a", "timestamp": "b", "git": {}, "mapping": {}},
        {"type": "event_msg"},
        {"messages": [], "payload": {}},
    ],
)
def test_lines_of_others_are_not_taken(value: dict[str, Any]):
    assert not is_line(value)
    assert recognise(session(value, value)).source != "codex"


def test_a_session_is_recognised_by_its_lines_in_each_layout():
    header = {"id": "a", "timestamp": "2025-08-01T10:00:00Z", "instructions": None}
    assert recognise(session(meta(), USER)).source == "codex"
    assert recognise(session(header, {"record_type": "state"}, USER["payload"])).source == "codex"
    assert recognise({"session": header, "items": [USER["payload"]]}).source == "codex"
    assert not recognise(session(header, {"type": "assistant", "message": {}})).is_recognised
    assert not recognise({"session": {"x": 1}, "items": []}).is_recognised


def test_the_earliest_files_are_one_object(tmp_path: Path):
    header = {"id": SESSION, "timestamp": "2025-06-01T10:00:00Z", "instructions": ""}
    shell = {"type": "local_shell_call", "call_id": "c1", "action": {"command": ["ls"]}}
    items = [USER["payload"], shell, {"type": "local_shell_call_output", "call_id": "c1", "output": "a.txt"}]
    path = tmp_path / "rollout-2025-06-01-a.json"
    path.write_text(json.dumps({"session": header, "items": items}, indent=1))
    [file] = read_paths([path])
    [item] = file.records()
    assert isinstance(item, ReadDialogue)
    assert (file.source, item.record.source_id) == ("codex", SESSION)
    assert [m.role for m in item.record.messages] == ["user", "assistant", "tool"]


def test_a_file_that_was_cut_off_in_a_line_is_read_to_there(tmp_path: Path):
    path = tmp_path / "rollout-1.jsonl"
    path.write_text("\n".join(map(json.dumps, [meta(), turn(), USER, said("assistant", "Done.")]))[:-9])
    [file] = read_paths([path])
    [item] = file.records()
    assert isinstance(item, ReadDialogue)
    assert told(item.record) == [("user", [("text", "Go")])]
    assert item.record.warnings == {"malformed_message": 1}
    assert not file.drift.found


@pytest.mark.parametrize(
    "login",
    [
        *("auth.json", "oauth_creds.json", "auth-profiles.json", "providers.json", "cline_mcp_settings.json"),
        "request_dump_20260904_221805_4f6f50_20260904_221811_908760.json",
    ],
)
def test_the_login_beside_the_sessions_is_never_opened(tmp_path: Path, login: str):
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "rollout-1.jsonl").write_text("\n".join(map(json.dumps, [meta(), USER])))
    (tmp_path / login).write_text("[private")
    reading = read_paths([tmp_path])
    assert [file.source for file in reading for _ in file.records()] == ["codex"]
    assert [skipped.reason for skipped in reading.skipped] == [f"private and never opened: {login}"]


def test_a_session_of_any_length_is_read_in_linear_time():
    def read_long(size: int) -> None:
        lines = [meta()]
        for at in range(size):
            lines += [turn(str(UUID(int=at))), USER, ASKED, called(f"c{at}"), answered(f"c{at}"), SPOKEN]
            lines += [event("thread_rolled_back", num_turns=1)] if at % 3 == 0 else []
        assert len(read(*lines).messages) == 4 * size

    assert growth(read_long, 100) < 5
