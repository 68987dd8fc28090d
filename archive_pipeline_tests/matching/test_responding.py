"""Answering from the archive, and calling for what it does not have."""

from __future__ import annotations

import asyncio
import logging

import pytest

from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.matching import find_or_create_from_messages, find_path, respond, respond_async
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
    assert query(database, "SELECT door, is_hit, is_created, outcome FROM raw.match_log ORDER BY id") == [
        ("respond", False, True, "generated_new"),
        ("respond", True, False, "found"),
    ]
    assert query(database, "SELECT model, door, asked, hits, stored, hit_rate::text FROM derived.match_rates") == [
        (None, "respond", 2, 1, 1, "0.5000")
    ]


def test_models_do_not_answer_for_each_other(session):
    one, two = Model("Paris"), Model("Paris")
    for _ in range(3):
        respond(session, turns("Capital of France?"), call=one, model="one")
        respond(session, turns("Capital of France?"), call=two, model="two")
    assert (one.calls, two.calls) == (1, 1), "also where both say the same"
    found = find_path(session, turns("Capital of France?"))
    assert [(known.content, known.model) for known in found.responses] == [("Paris", "two"), ("Paris", "one")]
    assert respond(session, turns("Capital of France?"), call=Model(), model=None).from_archive


def test_a_model_that_answers_by_the_name_of_its_version_is_known_by_the_name_it_was_asked_by(session):
    model = Model({"role": "assistant", "content": "Paris", "model": "one-2026-01-01"})
    for _ in range(2):
        respond(session, turns("Capital of France?"), call=model, model="one")
    assert model.calls == 1


def test_what_was_found_and_what_was_generated_are_counted_apart_by_entry_point(session, database):
    """Of five answers of a model one is new, one is equal to another model's, one is its own again, two are found."""
    france = turns("Capital of France?")
    find_path(session, france)
    find_or_create_from_messages(session, france, response="Paris", model="one")
    respond(session, france, call=Model("Paris"), model="two")
    find_or_create_from_messages(session, france, response="Paris", model="two")
    find_or_create_from_messages(session, france, response="Lyon", model="two")
    find_or_create_from_messages(session, france, model="two")
    for _ in range(2):
        respond(session, france, call=Model(), model="two")
    session.commit()
    rates = query(
        database,
        "SELECT door, coalesce(model, '-'), asked, hits, generated_equal, generated_new, stored "
        "FROM derived.match_rates ORDER BY 1, 2",
    )
    assert rates == [
        ("find_or_create", "one", 1, 0, 0, 1, 1),
        ("find_or_create", "two", 3, 1, 1, 1, 1),
        ("find_path", "-", 1, 0, 0, 0, 0),
        ("respond", "two", 3, 2, 1, 0, 1),
    ]


def test_look_ups_are_logged_with_their_hashes(session, database, caplog):
    caplog.set_level(logging.INFO, logger="archive_pipeline.matching")
    reply = respond(session, turns("Hi"), call=Model("Hello"))
    (logged,) = query(database, "SELECT context_hash, path_hash, response_message_id::text FROM raw.match_log")
    assert logged == (reply.match.context_hash, reply.match.path_hash, reply.match.response_id)
    (line,) = caplog.messages
    assert line == "respond: generated_new, context {}, path {}, response {}".format(*logged)


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


UNREADABLE = {"role": "assistant", "content": [{"type": "server_tool_use", "id": "s", "name": "web_search"}]}


@pytest.mark.parametrize("answer", [UNREADABLE, {"role": "assistant", "content": []}, 7])
def test_an_answer_that_cannot_be_read_is_returned_and_not_stored(session, database, caplog, answer):
    respond(session, turns("Hi"), call=Model("Hello"), model="one")
    model = Model(answer)
    for _ in range(2):
        reply = respond(session, turns("Hi"), call=model, model="two")
        assert (reply.message, reply.from_archive) == (answer, False)
        assert (reply.match.created, reply.match.hit, reply.match.response) == (False, False, None)
        assert "the response" in reply.not_stored
        assert reply.not_stored in caplog.text
    assert model.calls == 2
    assert query(database, "SELECT count(*) FROM raw.messages") == [(2,)]
    outcomes = query(database, "SELECT outcome, is_hit, is_created FROM raw.match_log ORDER BY id")
    assert outcomes[1:] == [("generated_new", False, False)] * 2


def test_an_answer_that_cannot_be_read_is_returned_asynchronously(session):
    async def call(_messages):
        await asyncio.sleep(0)
        return UNREADABLE

    reply = asyncio.run(respond_async(session, [user("Hi")], call=call))
    assert (reply.message, reply.match.created) == (UNREADABLE, False)
    assert "the response.content[0].type is 'server_tool_use'" in reply.not_stored


def test_an_answer_with_media_is_returned_whole_and_asked_for_again(session, database):
    spoken = {"role": "assistant", "content": None, "audio": {"id": "a", "data": "aGVsbG8=", "transcript": "Hello"}}
    model = Model(spoken)
    replies = [respond(session, turns("Hi"), call=model) for _ in range(2)]
    assert [(reply.message, reply.from_archive, reply.not_stored) for reply in replies] == [(spoken, False, None)] * 2
    assert query(database, "SELECT outcome FROM raw.match_log") == [("generated_new",), ("generated_equal",)]
    assert [known.has_media for known in find_path(session, turns("Hi")).responses] == [True]


def test_none_is_no_answer(session):
    with pytest.raises(InvalidMessagesError, match="the response is None"):
        respond(session, turns("Hi"), call=lambda _: None)


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
