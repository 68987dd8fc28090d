"""Answering from the archive, and calling for what it does not have."""

from __future__ import annotations

import asyncio

import pytest

from archive_pipeline.matching import respond, respond_async
from archive_pipeline_tests.matching.messages import assistant, turns, user
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres


class Model:
    """Counts its calls and answers with the number of messages."""

    def __init__(self, answer=None):
        self.calls = 0
        self.answer = answer

    def __call__(self, messages):
        self.calls += 1
        return self.answer or f"{len(messages)} messages, call {self.calls}"


def test_the_second_time_the_archive_answers(session, database):
    model = Model()
    first = respond(session, turns("Hi"), call=model)
    second = respond(session, turns("Hi"), call=model)
    assert (first.from_archive, second.from_archive, model.calls) == (False, True, 1)
    assert first.message == second.message == assistant("1 messages, call 1")
    assert query(database, "SELECT door, is_hit, is_created FROM raw.match_log ORDER BY id") == [
        ("respond", False, True),
        ("respond", True, False),
    ]
    assert query(database, "SELECT model, asked, hits, stored, hit_rate::text FROM derived.match_rates") == [
        (None, 2, 1, 1, "0.5000")
    ]


def test_models_do_not_answer_for_each_other(session):
    one, two = Model("Paris"), Model("Paris")
    for _ in range(3):
        respond(session, turns("Capital of France?"), call=one, model="one")
        respond(session, turns("Capital of France?"), call=two, model="two")
    assert (one.calls, two.calls) == (1, 1), "also where both say the same, which is stored once"
    assert respond(session, turns("Capital of France?"), call=Model(), model=None).from_archive


def test_other_answers_on_the_way_are_another_question(session):
    model = Model()
    respond(session, turns("Hi", "Hello", "Well?"), call=model)
    respond(session, turns("Hi", "Good day", "Well?"), call=model)
    respond(session, turns("hi", "Hello", "Well?"), call=model)
    assert model.calls == 3


def test_deterministic_options_are_part_of_the_question(session):
    model = Model()
    for options in (None, {}, {"temperature": 1}, {"temperature": 0}, {"temperature": 0}, {"max_tokens": 4}):
        respond(session, turns("Hi"), call=model, options=options)
    assert model.calls == 3


def test_tool_calls_come_back_as_they_were(session):
    calls = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"b":1,"a":2}'}}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    assert respond(session, turns("Do it"), call=Model(message)).message == message
    again = respond(session, turns("Do it"), call=Model())
    assert (again.from_archive, again.message) == (True, message)


def test_nothing_is_stored_of_a_call_that_fails(session, database):
    def fails(_messages):
        raise ConnectionError("the model is gone")

    with pytest.raises(ConnectionError, match="the model is gone"):
        respond(session, turns("Hi"), call=fails)
    assert query(database, "SELECT count(*) FROM raw.messages") == [(0,)]


def test_asynchronous_calls(session):
    model = Model()

    async def call(messages):
        await asyncio.sleep(0)
        return model(messages)

    async def ask_twice():
        first = await respond_async(session, [user("Hi")], call=call)
        return first, await respond_async(session, [user("Hi")], call=call)

    first, second = asyncio.run(ask_twice())
    assert (first.from_archive, second.from_archive, model.calls) == (False, True, 1)
    assert first.message == second.message
