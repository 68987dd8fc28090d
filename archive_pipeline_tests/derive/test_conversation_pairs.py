"""``build_qa_pairs`` behaves as seed 004's function, rule by rule; ``final`` keeps the answer given after tools."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from archive_pipeline.derive.conversation_pairs import QAPair, build_qa_pairs
from archive_pipeline_tests.derive.reference_texts import pair_hash


def say(number: int, role: str, content: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": f"m{number}", "role": role, "content": content, "sequence_number": number, **more}


def call(name: str | None = "search", arguments: str | None = '{"q":1}', number: str = "c1") -> dict[str, Any]:
    return {"id": number, "function": {"name": name, "arguments": arguments}}


def brief(pairs: list[QAPair]) -> list[tuple[str, str, str]]:
    return [(pair.pair_id, pair.question, pair.answer) for pair in pairs]


@pytest.fixture(params=["first", "final"])
def answer(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize("nothing", [[], None, ()])
def test_no_messages_are_no_pairs(nothing: Any, answer: Any):
    assert build_qa_pairs(nothing, "c", answer=answer) == []


def test_a_pair_has_all_the_seeds_fields(answer: Any):
    messages = [say(3, "user", "Why?"), say(7, "assistant", "Because.")]
    assert build_qa_pairs(messages, "c", "w", "s", answer=answer) == [
        QAPair(
            pair_id="c:3",
            conversation_id="c",
            start_sequence_number=3,
            end_sequence_number=7,
            pair_type="conversation_turn",
            source_id="m3",
            question="Why?",
            answer="Because.",
            content_hash=pair_hash("Why?", "Because."),
            workspace_id="w",
            session_id="s",
        )
    ]


def test_rule_1_messages_are_sorted_by_their_number(answer: Any):
    messages = [say(4, "assistant", "B"), say(1, "user", "a"), say(3, "user", "b"), say(2, "assistant", "A")]
    assert brief(build_qa_pairs(messages, "c", answer=answer)) == [("c:1", "a", "A"), ("c:3", "b", "B")]
    assert [message["sequence_number"] for message in messages] == [4, 1, 3, 2]  # the input is left as it was


def test_rule_2_system_messages_are_passed_over(answer: Any):
    messages = [say(0, "system", "s"), say(1, "user", "a"), say(2, "system", "s"), say(3, "assistant", "A")]
    assert brief(build_qa_pairs(messages, "c", answer=answer)) == [("c:1", "a", "A")]


def test_rule_3_tool_messages_between_are_passed_over(answer: Any):
    messages = [say(1, "user", "a"), say(2, "tool", "t"), say(3, "assistant", "A")]
    assert brief(build_qa_pairs(messages, "c", answer=answer)) == [("c:1", "a", "A")]


def test_rule_4_each_call_is_paired_with_its_result_by_id(answer: Any):
    messages = [
        say(1, "user", "a"),
        say(2, "assistant", "", tool_calls=[call(number="c1"), call("run", "{}", "c2"), call(number="lost")]),
        say(3, "tool", "second", tool_call_id="c2"),
        say(4, "tool", "first", tool_call_id="c1"),
        say(5, "tool", "nobody asked", tool_call_id="c9"),
    ]
    pairs = build_qa_pairs(messages, "c", answer=answer)
    assert brief(pairs)[1:] == [
        ("c:2:c1", 'Tool: search({"q":1})', "first"),
        ("c:2:c2", "Tool: run({})", "second"),
    ]
    trace = pairs[1]
    assert (trace.pair_type, trace.source_id) == ("trace_pair", "m2")
    assert (trace.start_sequence_number, trace.end_sequence_number) == (2, 4)


def test_rule_4_of_several_results_first_takes_the_last_as_the_seed_does_and_final_takes_all():
    messages = [
        say(1, "assistant", None, tool_calls=[call()]),
        say(2, "tool", "one", tool_call_id="c1"),
        say(3, "tool", "", tool_call_id="c1"),
        say(4, "tool", "two", tool_call_id="c1"),
    ]
    question = 'Tool: search({"q":1})'
    assert brief(build_qa_pairs(messages, "c", answer="first")) == [("c:1:c1", question, "two")]
    final = build_qa_pairs(messages, "c", answer="final")
    assert brief(final) == [("c:1:c1", question, "one\n\ntwo")]
    assert (final[0].start_sequence_number, final[0].end_sequence_number) == (1, 4)


def test_a_result_belongs_to_the_nearest_call_of_its_id_before_it():
    messages = [
        say(1, "tool", "nobody asked yet", tool_call_id="c1"),
        say(2, "assistant", None, tool_calls=[call(arguments="1"), call(arguments="again")]),
        say(3, "tool", "one", tool_call_id="c1"),
        say(4, "assistant", None, tool_calls=[call(arguments="2")]),
        say(5, "tool", "two", tool_call_id="c1"),
    ]
    assert brief(build_qa_pairs(messages, "c")) == [
        ("c:2:c1", "Tool: search(1)", "one"),
        ("c:4:c1", "Tool: search(2)", "two"),
    ]


def test_rule_5_orphans_have_no_pair(answer: Any):
    messages = [say(1, "user", "a"), say(2, "user", "b"), say(3, "assistant", "B"), say(4, "user", "c")]
    assert brief(build_qa_pairs(messages, "c", answer=answer)) == [("c:2", "b", "B")]


@pytest.mark.parametrize("state", ["streaming", "aborted", "invalid"])
def test_rule_6_unfinished_messages_are_left_out(state: str, answer: Any):
    messages = [
        say(1, "user", "a", state="complete"),
        say(2, "assistant", "half", state=state),
        say(3, "user", "not sent", state=state),
        say(4, "assistant", "A", state=None),
    ]
    assert brief(build_qa_pairs(messages, "c", answer=answer)) == [("c:1", "a", "A")]


def test_rule_6_an_unfinished_result_answers_nothing(answer: Any):
    messages = [
        say(1, "assistant", None, tool_calls=[call()]),
        say(2, "tool", "half", tool_call_id="c1", state="streaming"),
    ]
    assert build_qa_pairs(messages, "c", answer=answer) == []


def test_missing_content_is_an_empty_text_in_turns_and_a_phrase_in_traces(answer: Any):
    messages = [
        say(1, "user", None),
        say(2, "assistant", None, tool_calls=[call()]),
        say(3, "tool", "", tool_call_id="c1"),
    ]
    pairs = build_qa_pairs(messages, "c", answer=answer)
    assert [(pair.question, pair.answer) for pair in pairs] == [
        ("", ""),
        ('Tool: search({"q":1})', "[No tool result content]"),
    ]


@pytest.mark.parametrize(
    ("made", "question"),
    [
        ({"id": "c1", "function": {"name": "f", "arguments": '{"a": 1}'}}, 'Tool: f({"a": 1})'),  # as it was written
        ({"id": "c1", "name": "f", "parameters": {"a": [1, "x"]}}, 'Tool: f({"a":[1,"x"]})'),
        ({"id": "c1", "function": {"name": "f"}, "name": "g", "parameters": {"a": 1}}, 'Tool: f({"a":1})'),
        ({"id": "c1", "function": {}, "name": "g"}, "Tool: g({})"),
        ({"id": "c1", "name": "f", "parameters": {}}, "Tool: f({})"),
        ({"id": "c1"}, "Tool: unknown({})"),
        ({"id": "c1", "parameters": {"é": None}}, 'Tool: unknown({"é":null})'),
        ({"id": "c1", "name": "f", "parameters": []}, "Tool: f([])"),
        ({"id": "c1", "function": {"name": "f", "arguments": ""}, "parameters": [1]}, "Tool: f([1])"),
        ({"id": "c1", "function": {"name": "f", "arguments": "[]"}}, "Tool: f([])"),
        ({"id": "c1", "function": {"name": "f", "arguments": "{broken"}}, "Tool: f({broken)"),
        ({"id": "c1", "function": {"name": "f", "arguments": '"quoted"'}}, 'Tool: f("quoted")'),
        ({"id": "c1", "function": {"name": "f", "arguments": {"a": 1}}}, 'Tool: f({"a":1})'),
        ({"id": "c1", "name": "f", "parameters": {"n": 10**30}}, f'Tool: f({{"n":{10**30}}})'),
        ({"id": "c1", "name": "f", "parameters": {"half": "\ud83d"}}, 'Tool: f({"half":"\ufffd"})'),
    ],
)
def test_a_call_is_written_as_the_seed_writes_it(made: dict[str, Any], question: str):
    messages = [say(1, "assistant", None, tool_calls=[made]), say(2, "tool", "r", tool_call_id="c1")]
    assert brief(build_qa_pairs(messages, "c")) == [("c:1:c1", question, "r")]


@pytest.mark.parametrize("depth", [100, 254, 255, 1_000, 100_000])
def test_arguments_are_written_at_any_depth(depth: int):
    arguments: Any = "half \ud83d"
    for _ in range(depth):
        arguments = {"a": [arguments]}
    messages = [
        say(1, "assistant", None, tool_calls=[{"id": "c1", "name": "f", "parameters": arguments}]),
        say(2, "tool", "r", tool_call_id="c1"),
    ]
    [(_, question, _)] = brief(build_qa_pairs(messages, "c"))
    assert question == "Tool: f(" + '{"a":[' * depth + '"half \ufffd"' + "]}" * depth + ")"


def test_lone_surrogates_lose_no_pair_and_the_hash_is_that_of_the_table(answer: Any):
    messages = [
        say(1, "user", "half \ud83d"),
        say(2, "assistant", "Yes.\0", tool_calls=[call(arguments='{"q":"\udc00"}')]),
        say(3, "tool", "\ud83d", tool_call_id="c1"),
    ]
    turn, trace = build_qa_pairs(messages, "c", answer=answer)
    assert (turn.question, turn.content_hash) == ("half \ud83d", pair_hash("half \ufffd", "Yes."))
    assert trace.content_hash == pair_hash('Tool: search({"q":"\ufffd"})', "\ufffd")


AGENT = [
    say(1, "user", "What is in it?"),
    say(2, "assistant", "Let me look.", tool_calls=[call()]),
    say(3, "tool", "42", tool_call_id="c1"),
    say(4, "assistant", "It holds 42."),
    say(5, "assistant", None),
    say(6, "user", "Thanks"),
    say(7, "assistant", ""),
]


def test_first_takes_the_first_assistant_message_as_the_seed_does():
    assert brief(build_qa_pairs(AGENT, "c", answer="first")) == [
        ("c:1", "What is in it?", "Let me look."),
        ("c:2:c1", 'Tool: search({"q":1})', "42"),
        ("c:6", "Thanks", ""),
    ]


def test_final_is_the_default_and_takes_the_last_text_before_the_next_question():
    assert build_qa_pairs(AGENT, "c") == build_qa_pairs(AGENT, "c", answer="final")
    assert brief(build_qa_pairs(AGENT, "c")) == [
        ("c:1", "What is in it?", "It holds 42."),
        ("c:2:c1", 'Tool: search({"q":1})', "42"),
        ("c:6", "Thanks", ""),
    ]


def test_white_space_alone_is_no_answer():
    said = [("user", "q"), ("assistant", "the answer"), ("assistant", "\n")]
    messages = [
        {"id": f"m{number}", "role": role, "content": text, "sequence_number": number}
        for number, (role, text) in enumerate(said)
    ]
    assert [(pair.answer, pair.end_sequence_number) for pair in build_qa_pairs(messages, "c")] == [("the answer", 1)]


def test_objects_do_as_well_as_dicts(answer: Any):
    def as_object(value: Any) -> Any:
        if isinstance(value, dict):
            return SimpleNamespace(**{name: as_object(item) for name, item in value.items()})
        return [as_object(item) for item in value] if isinstance(value, list) else value

    objects = [as_object(message) for message in AGENT]
    assert build_qa_pairs(iter(objects), "c", answer=answer) == build_qa_pairs(AGENT, "c", answer=answer)


def test_fields_of_the_hash_stay_apart():
    one = build_qa_pairs([say(1, "user", "ab"), say(2, "assistant", "c")], "c")
    other = build_qa_pairs([say(1, "user", "a"), say(2, "assistant", "bc")], "c")
    assert one[0].content_hash != other[0].content_hash
