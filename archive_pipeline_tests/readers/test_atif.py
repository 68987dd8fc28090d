"""Trajectories (ATIF): steps are messages, results messages of the tool behind them, whatever agents leave out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, PartType, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.atif import read_trajectory
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.trials import trials


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": name, "function_name": "search", "arguments": arguments}


def result(name: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return {**({"source_call_id": name} if name else {}), "content": content, **more}


def step(number: int, source: str, message: Any, *results: Any, **more: Any) -> dict[str, Any]:
    seen = {"observation": {"results": list(results)}} if results else {}
    return {"step_id": number, "source": source, "message": message, **more, **seen}


STEPS = [
    step(1, "system", "Be brief."),
    step(2, "user", "What is it worth?", timestamp="2025-10-11T10:30:00Z"),
    step(
        3,
        "agent",
        "I will look.",
        result("c1", "185.35"),
        result("c2", [{"type": "text", "text": "1.5M"}, {"type": "image", "source": {"path": "images/a.png"}}]),
        reasoning_content="Two look-ups.",
        tool_calls=[call("c1", ticker="G"), call("c2", ticker="V")],
        metrics={"prompt_tokens": 520},
        timestamp="2025-10-11T10:30:02Z",
    ),
    step(4, "agent", "185.35, at 1.5M.", model_name="m-2", is_copied_context=True),
]


def trajectory(*steps: Any, **more: Any) -> dict[str, Any]:
    about = {
        "schema_version": "ATIF-v1.6",
        "session_id": "s",
        "agent": {"name": "a", "version": "1", "model_name": "m"},
    }
    return {**about, "steps": list(steps), **more}


def read(*steps: Any, **more: Any) -> DialogueRecord:
    record = read_trajectory(trajectory(*steps, **more), "trajectory.json")
    assert isinstance(record, DialogueRecord)
    return record


def said(record: DialogueRecord) -> list[tuple[str | None, str, list[tuple[PartType, str | None]]]]:
    return [(m.source_id, m.role, [(part.part_type, part.text) for part in m.parts]) for m in record.messages]


def test_steps_are_messages_and_results_follow_their_calls():
    record = read(*STEPS, extra={"title": "Worth"}, notes="a note")
    first, last = (datetime(2025, 10, 11, 10, 30, second, tzinfo=UTC) for second in (0, 2))
    about = (record.source, record.source_id, record.title, record.created_at, record.updated_at)
    assert about == ("atif", "s", "Worth", first, last)
    thinking, text, use, given_back = PartType.THINKING, PartType.TEXT, PartType.TOOL_USE, PartType.TOOL_RESULT
    assert said(record) == [
        ("1", "system", [(text, "Be brief.")]),
        ("2", "user", [(text, "What is it worth?")]),
        ("3", "assistant", [(thinking, "Two look-ups."), (text, "I will look."), (use, None), (use, None)]),
        ("3-result-1", "tool", [(given_back, "185.35")]),
        ("3-result-2", "tool", [(given_back, "1.5M"), (PartType.IMAGE, None)]),
        ("4", "assistant", [(text, "185.35, at 1.5M.")]),
    ]
    calls = record.messages[2].parts[2:]
    assert [(c.tool_use_id, c.tool_name, c.tool_input) for c in calls] == [
        ("c1", "search", {"ticker": "G"}),
        ("c2", "search", {"ticker": "V"}),
    ]
    results = [part for message in record.messages[3:5] for part in message.parts]
    assert [part.tool_use_id for part in results] == ["c1", "c2", "c2"]
    assert (results[0].tool_name, results[2].uri) == ("search", "images/a.png")
    assert [message.model for message in record.messages] == [None, None, "m", None, None, "m-2"]
    beside = {"metrics": {"prompt_tokens": 520}, "timestamp": "2025-10-11T10:30:02Z"}
    assert record.messages[2].source == {"source": "agent", **beside}
    assert record.messages[5].source == {"source": "agent", "is_copied_context": True}
    links = [message.link.parent for message in prepare(record, b"").messages]
    assert links == [None, "1", "2", "3", "3-result-1", "3-result-2"]
    assert record.source_json["notes"] == "a note"
    assert not record.warnings


def test_the_only_result_of_a_step_is_that_of_its_only_call():
    alone = read(step(1, "agent", "", result(None, "done"), tool_calls=[call("c1")]))
    assert [(p.tool_use_id, p.tool_name) for p in alone.messages[1].parts] == [("c1", "search")]
    several = read(step(1, "agent", "", result(None, "done"), tool_calls=[call("c1"), call("c2")]))
    assert [(p.tool_use_id, p.tool_name) for p in several.messages[1].parts] == [(None, None)]


def test_what_the_system_did_has_results_too():
    reference = [{"session_id": "sub", "trajectory_path": "sub.json"}]
    record = read(step(1, "system", "summarise", result(None, None, subagent_trajectory_ref=reference)))
    assert [message.role for message in record.messages] == ["system", "tool"]
    assert record.messages[1].parts[0].source == {"subagent_trajectory_ref": reference}


def test_a_step_that_no_model_made_has_no_model():
    assert read(step(1, "agent", "x", llm_call_count=0)).messages[0].model is None


def test_trajectories_of_subagents_are_dialogues_of_their_own_which_name_their_parents(tmp_path: Path):
    deepest = trajectory(STEPS[1], trajectory_id="t-3")
    inner = [
        trajectory(*STEPS, trajectory_id="t-2", subagent_trajectories=[deepest]),
        trajectory(STEPS[0]),
        {"steps": 1},
    ]
    whole = trajectory(STEPS[1], subagent_trajectories=inner)
    path = tmp_path / "trajectory.json"
    path.write_text(json.dumps(whole))
    records = [item.record for file in read_paths([path]) for item in file.records() if isinstance(item, ReadDialogue)]
    assert [(r.source_id, r.parent_source_id, len(r.messages), r.locator) for r in records] == [
        ("t-2", "s", 6, f"{path}.subagent_trajectories[0]"),
        ("s-subagent-2", "s", 1, f"{path}.subagent_trajectories[1]"),
        ("t-3", "t-2", 1, f"{path}.subagent_trajectories[0].subagent_trajectories[0]"),
        ("s", None, 1, str(path)),
    ]
    assert records[-1].source_json["subagent_trajectories"] == inner
    assert "subagent_trajectories" not in records[0].source_json


def test_ids_that_others_are_made_of_stay_apart():
    again = {**step(1, "agent", "b", result(None, "c")), "step_id": "1"}
    record = read({**step(1, "user", "a"), "step_id": "1-again-2"}, step(1, "user", "x"), again, again)
    ids = [message.source_id for message in record.messages]
    assert len(set(ids)) == len(ids) == 6
    assert ids[:3] == ["1-again-2", "1", "1-again-3"]


def test_what_is_of_another_shape_is_kept_and_nothing_raises():
    odd = {"step_id": 1, "source": "robot", "message": [7, {"type": "video"}, {"type": "text", "text": "a", "b": 1}]}
    record = read(odd, {**odd, "message": {}}, "x", step(3, "agent", "", tool_calls=["y"], observation="z"))
    assert [message.source_id for message in record.messages] == ["1", "1-again-2", "3"]
    assert [part.part_type for part in record.messages[0].parts] == [PartType.UNKNOWN, PartType.UNKNOWN, PartType.TEXT]
    assert record.messages[2].source["observation"] == "z"
    assert record.source_json["steps"] == ["x"]
    assert record.warnings == {
        "malformed_call": 1,
        "malformed_message": 1,
        "unknown_part:none": 1,
        "unknown_part:video": 1,
        "unknown_role": 2,
    }
    assert isinstance(read_trajectory({"schema_version": "ATIF-v1.6"}, "x"), RejectedRecord)


@given(st.lists(st.sampled_from(STEPS), max_size=6))
@trials(20)
def test_every_step_is_a_message_of_an_id_of_its_own_in_the_order_of_the_file(steps: list[Any]):
    record = read(*steps)
    ids = [message.source_id for message in record.messages]
    assert len(set(ids)) == len(ids)
    roles = {"system": "system", "user": "user", "agent": "assistant"}
    assert [m.role for m in record.messages if m.role != "tool"] == [roles[each["source"]] for each in steps]


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (trajectory(*STEPS), 1.0),
        (trajectory(), 0.6),
        ({"agent": {"name": "a"}, "steps": STEPS}, 0.9),
        (trajectory({"action": "x"}), 0.1),
        ({"steps": STEPS}, 0.0),
        ({"agent": {}, "steps": [{"source": ["user"], "step_id": 1, "message": ""}]}, 0.0),
        ({"schema_version": "1.0", "steps": [{"time": 1}]}, 0.0),
    ],
)
def test_a_trajectory_is_told_by_its_version_and_its_steps(value: dict[str, Any], confidence: float):
    verdict = recognise(value)
    assert (verdict.source, verdict.evidence.confidence) == ("atif" if confidence else None, confidence)


def test_a_file_is_one_trajectory(tmp_path: Path):
    path = tmp_path / "trajectory.json"
    path.write_text(json.dumps(trajectory(*STEPS), indent=2))
    [item] = [item for file in read_paths([path]) for item in file.records()]
    assert isinstance(item, ReadDialogue)
    assert said(item.record) == said(read(*STEPS))
