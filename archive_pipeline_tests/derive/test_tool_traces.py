"""Tool calls with their results along the branches of a tree; the definition is in ``reference_pairs``."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from archive_pipeline.derive.conversation_pairs import build_qa_pairs
from archive_pipeline.derive.qa_chunks import qa_chunks
from archive_pipeline.derive.qa_pairs import qa_pairs
from archive_pipeline.domain.records import DialogueRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.matching.chain import chain_batch
from archive_pipeline.readers.chat_arrays.messages import read_chat_messages
from archive_pipeline_tests.derive.batches import Row, Talk, Tool, batch_of


def made(name: str, parent: str, *calls: str) -> Row:
    return Row(name, parent, "assistant", tools=tuple(Tool(call, name="python", input="{}") for call in calls))


def given(name: str, parent: str, call: str, text: str | None, *, is_error: bool = False) -> Row:
    return Row(name, parent, "tool", tools=(Tool(call, is_result=True, text=text, is_error=is_error),))


def pairs(*rows: Row) -> tuple[Talk, pd.DataFrame]:
    talk = Talk("d", (Row("q", None, "user", "Why?"), *rows))
    return talk, qa_pairs(batch_of(talk))


def traces(*rows: Row) -> dict[str, tuple[str, int]]:
    """Answer and number of the last message, by what follows the dialogue in the pair's id."""
    talk, frame = pairs(*rows)
    own = frame[frame["pair_type"] == "trace_pair"]
    return {row.pair_id.removeprefix(f"{talk.id}:"): (row.answer, row.end_sequence_number) for row in own.itertuples()}


def test_all_results_of_a_call_are_kept_in_order():
    rows = (
        made("a", "q", "c"),
        given("r1", "a", "c", "one"),
        given("r2", "r1", "c", None),
        given("r3", "r2", "c", " \n"),
        given("r4", "r3", "c", " two"),
    )
    assert traces(*rows) == {"1:c": ("one\n\n two", 5)}


def test_a_result_of_white_space_only_has_no_content():
    assert traces(made("a", "q", "c"), given("r", "a", "c", "  ")) == {"1:c": ("[No tool result content]", 2)}


def test_a_call_failed_if_one_of_its_results_says_so():
    _, frame = pairs(made("a", "q", "c"), given("r1", "a", "c", "no", is_error=True), given("r2", "r1", "c", "yes"))
    assert frame.set_index("pair_type")["is_error"].to_dict()["trace_pair"] is True


@pytest.mark.parametrize("hidden", ["a", "r1"])
def test_what_nobody_was_shown_is_no_pair(hidden: str):
    rows = (made("a", "q", "c"), given("r1", "a", "c", "secret"))
    assert traces(*(replace(row, is_hidden=row.id == hidden) for row in rows)) == {}


def test_each_branch_has_its_own_results():
    # The turn is made anew: another call under the same id, with another result.
    rows = (
        made("a", "q", "c"),
        given("ra", "a", "c", "of a"),
        made("b", "q", "c"),
        given("rb", "b", "c", "of b"),
    )
    assert traces(*rows) == {"1:c": ("of a", 2), "3:c": ("of b", 4)}


def test_results_on_branches_below_one_call_are_pairs_of_their_own_the_primary_path_s_first():
    rows = (
        made("a", "q", "c"),
        given("r1", "a", "c", "first try"),
        given("r2", "a", "c", "second try"),
        Row("end", "r2", "assistant", "Done."),
    )
    assert traces(*rows) == {"1:c": ("second try", 3), "1:c@2": ("first try", 2)}


def test_results_before_a_branch_are_shared_and_a_branch_without_more_adds_no_pair():
    rows = (
        made("a", "q", "c"),
        given("r", "a", "c", "shared"),
        given("x", "r", "c", "x"),
        given("y", "r", "c", "y"),
        Row("leaf", "r", "assistant", "Enough."),
    )
    # The primary path has neither of the ends: the one of the earlier message comes first.
    assert traces(*rows) == {"1:c": ("shared\n\nx", 3), "1:c@4": ("shared\n\ny", 4)}


def test_a_result_on_another_path_than_its_call_is_none_of_it():
    assert traces(made("a", "q", "c"), given("r", "q", "c", "elsewhere")) == {}


def test_an_id_that_looks_like_that_of_a_branch_does_not_meet_it():
    rows = (
        made("a", "q", "c", "c@2"),
        given("r1", "a", "c", "one"),
        given("r2", "a", "c", "two"),
        given("r3", "r2", "c@2", "of the other call"),
    )
    found = traces(*rows)
    assert sorted(text for text, _ in found.values()) == ["of the other call", "one", "two"]
    assert {"1:c", "1:c@2"} < set(found)


def test_what_results_on_branches_repeat_is_marked_and_indexed_once():
    long = "The very same output of the tool, with more than three words in it."
    talk = Talk(
        "d",
        (
            Row("q", None, "user", "Why?"),
            made("a", "q", "c"),
            given("r1", "a", "c", long),
            given("r2", "a", "c", long),
            Row("end", "r2", "assistant", "Done."),
        ),
    )
    chunks = qa_chunks(batch_of(talk), 64)
    own = chunks[chunks["pair_id"].str.contains(":c")]
    assert own.set_index(["pair_id", "side"])["is_near_duplicate"].to_dict() == {
        (f"{talk.id}:1:c", "question"): False,
        (f"{talk.id}:1:c", "answer"): False,
        (f"{talk.id}:1:c@2", "question"): True,
        (f"{talk.id}:1:c@2", "answer"): True,
    }


@pytest.mark.parametrize(
    ("given_input", "text", "arguments"),
    [
        ('{"code":"1+1"}', "1+1", "1+1"),  # as ChatGPT's exports have code: the text is the source's
        (None, "to be remembered", "to be remembered"),
        ('"{broken"', None, "{broken"),
        ('"quoted"', '"quoted"', '"quoted"'),
        ('{"b": 1, "a":12345678901234567890123}', None, '{"b": 1, "a":12345678901234567890123}'),
        ("[]", None, "[]"),
        ('""', None, "{}"),
        (None, None, "{}"),
    ],
)
def test_arguments_stand_as_the_source_has_them(given_input: str | None, text: str | None, arguments: str):
    call = Row("a", "q", "assistant", tools=(Tool("c", name="f", input=given_input, text=text),))
    _, frame = pairs(call, given("r", "a", "c", "done"))
    [question] = frame[frame["pair_type"] == "trace_pair"]["question"]
    assert question == f"Tool: f({arguments})"


@pytest.mark.parametrize(
    "arguments",
    ['{"q":1}', '{"q": 1,  "q": 2}', "[]", "{broken", '"quoted"', "", "null", "1e5", '{"n": 123456789012345678901}'],
)
def test_the_table_has_the_question_and_the_hash_of_the_function(arguments: str):
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    array = [
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": "Let me look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "42"},
    ]
    records = tuple(message.record for message in read_chat_messages(array))
    dialogue = prepare(DialogueRecord("api", "a", "", messages=records, is_linear_source=True), b"")
    table = qa_pairs(chain_batch(dialogue, None))
    numbered = [{"id": str(at), "sequence_number": at, **message} for at, message in enumerate(array)]
    assert [*zip(table["question"], table["content_hash"], strict=True)] == [
        (pair.question, pair.content_hash) for pair in build_qa_pairs(numbered, "a")
    ]


@pytest.mark.slow
def test_long_chains_of_results_are_followed_without_looking_back():
    count = 20_000
    rows = [made("a", "q", "c"), given("r0", "a", "c", "x")]
    rows += [given(f"r{at}", f"r{at - 1}", "c", "x") for at in range(1, count)]
    (answer, end) = traces(*rows)["1:c"]
    assert (answer.count("x"), end) == (count, count + 1)
