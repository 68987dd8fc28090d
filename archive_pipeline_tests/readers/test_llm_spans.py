"""Calls of models in traces: what they repeat is there once, where they differ is a branch, and all is kept."""

from __future__ import annotations

import json
import re
import tracemalloc
from itertools import permutations
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, PartType, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.llm_spans.dialogue import other_dialogues, read_calls
from archive_pipeline.readers.llm_spans.gathering import SpanGatherer
from archive_pipeline.readers.llm_spans.held import Held
from archive_pipeline.readers.llm_spans.repeats import Repeats
from archive_pipeline.readers.llm_spans.spans import Call, Span
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.spans import (
    SECONDS,
    answer,
    call,
    chat,
    dialogue,
    otlp,
    records_of,
    said,
    span,
    text,
    texts,
)
from archive_pipeline_tests.trials import trials
from benchmarks.fuzz import llm_spans
from benchmarks.fuzz.law import lost
from benchmarks.fuzz.marks import Marks
from benchmarks.fuzz.mutations import mutate

QUESTION = said("user", text("weather in Paris?"))
CALLED = said("assistant", {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Paris"}})
RESULT = said("tool", {"type": "tool_call_response", "id": "c1", "response": "rain"})
ANSWER = said("assistant", text("It rains."))
MORE = said("user", text("and London?"))


def test_calls_that_repeat_the_history_are_one_way_with_each_message_once(tmp_path: Path):
    thought = {"type": "reasoning", "content": "ask the tool"}
    first = call(1, [QUESTION], {**CALLED, "parts": [thought, *CALLED["parts"]], "finish_reason": "tool_call"})
    second = call(2, [QUESTION, CALLED, RESULT], answer("It rains."))
    third = call(3, [QUESTION, CALLED, RESULT, ANSWER, MORE], answer("Sun."), model="gpt-5")
    record = dialogue(tmp_path, otlp(third), otlp(first, second))
    assert (record.source, record.source_id) == ("llm_spans", "s")
    assert texts(record) == [
        (None, "user", ["weather in Paris?"]),
        (0, "assistant", ["ask the tool", None]),
        (1, "tool", ["rain"]),
        (2, "assistant", ["It rains."]),
        (3, "user", ["and London?"]),
        (4, "assistant", ["Sun."]),
    ]
    messages = record.messages
    assert [message.model for message in messages] == [None, "gpt-4o", None, "gpt-4o", None, "gpt-5"]
    moments = [message.created_at and message.created_at.timestamp() - SECONDS for message in messages]
    assert moments == [10, 11, 20, 21, 30, 31]
    use, result = messages[1].parts[1], messages[2].parts[0]
    assert (use.part_type, use.tool_name, use.tool_use_id, use.tool_input) == (
        PartType.TOOL_USE,
        "weather",
        "c1",
        {"city": "Paris"},
    )
    assert (result.part_type, result.tool_name, result.tool_use_id) == (PartType.TOOL_RESULT, "weather", "c1")
    assert messages[1].source["finish_reason"] == "tool_call"
    assert messages[1].source["call"]["attributes"]["gen_ai.usage.input_tokens"] == 1
    assert not record.warnings
    assert [*record.source_json] == ["origins"]


def test_a_call_that_departs_is_a_branch_and_a_failed_one_says_why(tmp_path: Path):
    first = call(1, [QUESTION], answer("It rains."))
    other = call(2, [QUESTION, ANSWER, said("user", text("are you sure?"))], answer("Yes."))
    again = call(3, [QUESTION, ANSWER, MORE], None, status={"code": 2, "message": "rate limit"})
    record = dialogue(tmp_path, otlp(first, other, again))
    assert texts(record)[2:] == [
        (1, "user", ["are you sure?"]),
        (2, "assistant", ["Yes."]),
        (1, "user", ["and London?"]),
        (4, "assistant", ["rate limit"]),
    ]
    assert (record.messages[-1].parts[0].part_type, record.messages[-1].state) == (PartType.ERROR, "error")


def test_an_input_that_was_cut_at_its_beginning_joins_by_its_overlap(tmp_path: Path):
    way = [QUESTION, ANSWER, MORE, said("assistant", text("Sun.")), said("user", text("thanks"))]
    system = said("system", text("It is noon."))
    calls = [call(1, way[:1], answer("It rains.")), call(2, way[:3], answer("Sun."))]
    record = dialogue(tmp_path, otlp(*calls, call(3, [system, *way[1:]], answer("Bye."))))
    assert [parent for parent, _, _ in texts(record)] == [None, 0, 1, 2, 3, 4]
    assert record.messages[-1].source["call"]["overlap"] == 3
    [kept] = record.source_json["repeated"].values()
    assert kept["content"][0]["text_content"] == "It is noon."
    alone = dialogue(tmp_path, otlp(*calls, call(3, [said("user", text("name this chat"))], answer("Weather"))))
    assert [parent for parent, _, _ in texts(alone)] == [None, 0, 1, 2, None, 4]


def test_spans_that_are_no_calls_of_models_are_kept_beside_those_of_their_trace(tmp_path: Path):
    agent = call(9, [QUESTION], answer("It rains."), **{"gen_ai.operation.name": "invoke_agent"})
    tool = span(7, {"gen_ai.tool.name": "weather"})
    values = [otlp(tool), otlp(agent, call(1, [QUESTION], answer("It rains."), trace="t7"))]
    values += [otlp(span(8, {"http.method": "GET"}, trace="elsewhere"))]
    [record], rejected, file = records_of(tmp_path / "traces.jsonl", values)
    assert rejected == []
    assert len(record.messages) == 2
    kept = record.source_json["spans"]
    assert [each["name"] for each in kept.values()] == ["span 9", "span 7"]
    assert all("messages" not in each for each in kept.values())
    assert [item.reason for item in file.beside] == ["spans of traces in which no call of a model has messages: 1"]


def test_an_agent_is_read_where_no_call_of_a_model_is_logged(tmp_path: Path):
    agent = call(9, [QUESTION], answer("It rains."), **{"gen_ai.operation.name": "invoke_agent"})
    assert [role for _, role, _ in texts(dialogue(tmp_path, otlp(agent)))] == ["user", "assistant"]


def test_a_file_without_calls_is_reported_plainly(tmp_path: Path):
    records, rejected, file = records_of(tmp_path / "traces.jsonl", [otlp(span(1, {"http.method": "GET"}))])
    assert (records, rejected) == ([], [])
    assert file.skipped is not None
    assert file.skipped.reason == "spans of traces in which no call of a model has messages: 1"


def test_a_trace_belongs_to_the_session_that_one_of_its_spans_names(tmp_path: Path):
    early = span(1, {"http.method": "GET"}, trace="t")
    inner = chat(2, [QUESTION], answer("It rains."), trace="t")
    named = span(3, {"session.id": "s-1"}, trace="t")
    record = dialogue(tmp_path, otlp(early), otlp(inner), otlp(named))
    assert (record.source_id, len(record.messages)) == ("s-1", 2)
    assert len(record.source_json["spans"]) == 2


def test_spans_of_a_trace_with_two_sessions_are_of_the_one_above_them_in_any_order(tmp_path: Path):
    """Also what the calls repeat of each other, which is held once until it is known whose it is."""
    request = "x" * 600
    named = [span(place, {"session.id": name}, trace="t") for place, name in ((1, "A"), (2, "B"))]
    inner = span(3, {"input.value": request}, trace="t", parentSpanId=f"{2:016x}")
    calls = [
        chat(5, [QUESTION], answer("a"), trace="t", parentSpanId=f"{1:016x}", **{"input.value": request}),
        chat(7, [MORE], answer("b"), trace="t", parentSpanId=f"{3:016x}", **{"input.value": f"{request}y"}),
    ]
    for order in [*permutations([*named, inner, *calls])][::5]:
        records, _, _ = records_of(tmp_path / "traces.jsonl", [otlp(*order)])
        found = {record.source_id: record for record in records}
        assert {name: len(record.messages) for name, record in found.items()} == {"A": 2, "B": 2}
        values = json.dumps([found["A"].source_json, [message.source for message in found["A"].messages]])
        assert (request in values, f"{3:016x}" in values) == (True, False)
        assert f"{3:016x}" in found["B"].source_json["spans"]


def test_spans_that_no_session_stands_above_belong_to_the_first_of_their_trace(tmp_path: Path):
    named = [span(place, {"session.id": name}, trace="t") for place, name in ((1, "B"), (2, "A"))]
    alone = chat(3, [QUESTION], answer("a"), trace="t", parentSpanId=f"{9:016x}")
    circle = span(9, {}, trace="t", parentSpanId=f"{9:016x}")
    for order in [*permutations([*named, alone, circle])][::3]:
        assert dialogue(tmp_path, otlp(*order)).source_id == "A"


def test_one_object_has_its_dialogues_each_by_itself():
    value = otlp(chat(1, [QUESTION], answer("a"), trace="x"), chat(2, [QUESTION], answer("b"), trace="y"), span(3, {}))
    first = read_calls(value, "f")
    [(_, other)] = list(other_dialogues(value))
    second = read_calls(other, "f")
    assert isinstance(first, DialogueRecord)
    assert isinstance(second, DialogueRecord)
    assert [first.source_id, second.source_id] == ["x", "y"]
    assert [*first.source_json["spans"]] == [f"{3:016x}"]
    assert read_calls(otlp(span(1, {})), "f") == RejectedRecord(
        "f", "the spans have no call of a model with messages", "no messages"
    )


def test_what_was_not_as_it_is_gathered_is_rejected():
    gathered = {"spans_of": "x", "messages": [], "calls": [{"given": [0], "answers": [], "rest": {}}], "others": []}
    assert isinstance(read_calls({**gathered, "origins": {}}, "f"), RejectedRecord)
    assert recognise({**gathered, "origins": {}}).source != "llm_spans"


def test_results_without_ids_are_those_of_the_calls_in_their_order(tmp_path: Path):
    calls = said("assistant", *({"type": "tool_call", "name": name, "arguments": {}} for name in ("f", "g")))
    results = said("tool", *({"type": "tool_call_response", "response": name} for name in ("1", "2")))
    record = dialogue(tmp_path, otlp(call(1, [QUESTION, calls, results], answer("done"))))
    assert [(m.parts[0].tool_name, m.parts[0].text) for m in record.messages if m.role == "tool"] == [
        ("f", "1"),
        ("g", "2"),
    ]
    assert not record.warnings


def test_parts_that_evicted_dialogues_come_in_have_the_same_ids():
    one, two = call(1, [QUESTION], answer("It rains.")), call(2, [QUESTION, ANSWER, MORE], answer("Sun."))
    gatherer = SpanGatherer(held_bytes=0)
    made = [text for each in (one, two) for text in gatherer.add(b"", otlp(each))]
    records = [read_calls(parse_json(text)[0], "f") for text in made]
    first, second = (record.messages for record in records if isinstance(record, DialogueRecord))
    assert [message.source_id for message in second[:2]] == [message.source_id for message in first]
    assert [messages[1].created_at is None for messages in (first, second)] == [False, True]


@given(st.lists(st.text("ab", max_size=4).map(lambda part: part * 150), min_size=2, max_size=6), st.data())
@trials(40)
def test_what_is_kept_of_repeated_texts_says_all_of_them(pieces: list[str], data: st.DataObject):
    repeats, values = Repeats(), {}
    for number in range(4):
        value = "".join(data.draw(st.permutations(pieces)))
        kept = repeats.shortened({"input.value": value}, str(number))["input.value"]
        values[str(number)] = value
        if isinstance(kept, dict):
            before = values[kept["as_in"]]
            given = kept.get("pieces", [[0, len(before)]])
            kept = "".join(each if isinstance(each, str) else before[each[0] : each[1]] for each in given)
        assert kept == value


@given(st.lists(st.text("ab", max_size=4).map(lambda part: part * 150), min_size=2, max_size=6), st.data())
@trials(20)
def test_what_repeats_is_restored(pieces: list[str], data: st.DataObject):
    held, values = Held(), []
    for number in range(4):
        value = "".join(data.draw(st.permutations(pieces)))
        values.append({"input": value, "attributes": {"b": [value], "c": number}})
        held.add(
            Span("t", str(number), None, None, None, Call([value], [[number]]) if number % 2 else None, values[-1])
        )
    spans = list(held.spans())
    assert [each.rest for each in spans] == [{name: item for name, item in each.items() if item} for each in values]
    assert [each.call and each.call.answers for each in spans] == [None, [[1]], None, [[3]]]


def test_what_is_held_takes_about_as_much_memory_as_is_allowed():
    calls = (chat(number, [said("user", text(f"q{number}"))], answer("a"), trace=f"t{number}") for number in range(120))
    spans = (span(number, {"http.method": "GET"}, trace=f"u{number // 2}") for number in range(120))
    texts_of = [[json.dumps(otlp(each)).encode() for each in made] for made in (calls, spans)]
    for lines in texts_of:
        gatherer = SpanGatherer(held_bytes=60_000)
        tracemalloc.start()
        for line in lines:
            for _ in gatherer.add(line, parse_json(line)[0]):
                pass
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert 20_000 < held < 100_000


def test_a_long_session_is_held_without_what_its_calls_repeat():
    way = [said(("user", "assistant")[place % 2], text(f"{place} {'word ' * 50}")) for place in range(81)]
    gatherer = SpanGatherer()
    for number in range(1, 80, 2):
        request = {"input.value": json.dumps(way[:number])}
        list(gatherer.add(b"", otlp(call(number, way[:number], way[number], **request))))
    [made] = gatherer.all()
    assert len(made) < 4 * len(json.dumps(way))
    record = read_calls(parse_json(made)[0], "f")
    assert isinstance(record, DialogueRecord)
    assert len(record.messages) == 80


@given(st.integers(0, 2**32), st.integers(0, 5))
@trials(25)
def test_no_value_of_changed_spans_is_lost(seed: int, changes: int):
    random, marks = Random(seed), Marks()  # noqa: S311 - a test's
    value = random.choice(llm_spans.PRODUCERS)(random, marks, llm_spans.messages(random, marks))
    for _ in range(changes):
        mutate(value, random, marks)
    raw = json.dumps(value).encode()
    value = parse_json(raw)[0]
    if recognise(value).source != "llm_spans":
        return
    records = [read_calls(each, "f") for each in (value, *(other for _, other in other_dialogues(value)))]
    if not any(isinstance(record, RejectedRecord) for record in records):
        prepared = [prepare(record, raw) for record in records if isinstance(record, DialogueRecord)]
        # Names of attributes are words of the format, and JSON in JSON in JSON is not looked into.
        assert [gone for gone in lost(value, *prepared) if re.search(r"m\d+q|70000", gone) and "{" not in gone] == []


def test_a_message_that_is_named_more_often_than_any_conversation_says_it_is_rejected():
    messages = [{"role": "user", "content": "x" * 1_000_000}]
    call_of_many = {"given": [0] * 300, "answers": [], "rest": {}}
    gathered = {"spans_of": "s", "messages": messages, "calls": [call_of_many], "others": [], "origins": {}}
    record = read_calls(gathered, "f")
    assert isinstance(record, RejectedRecord)
    assert record.reason == "the calls say more than one conversation does"


def test_what_has_lost_the_id_of_its_dialogue_has_no_calls():
    value = {"messages": [], "calls": [{"given": [], "answers": [], "rest": {}}], "others": [], "origins": {}}
    assert isinstance(read_calls(value, "f"), RejectedRecord)
