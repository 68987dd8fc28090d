"""Questions answered by real requests to a local server, with recorded and hostile answers."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from archive_pipeline.answering import Answer, Prompt, ask
from archive_pipeline.answering.asking import LONGEST_ANSWER
from archive_pipeline.answering.endpoint_model import EndpointModel
from archive_pipeline.errors import AnswerError, ConfigurationError, InvalidQueryError
from archive_pipeline.retrieval.context.archive import Budget, build_context
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline_tests.answering.chat_server import (
    DONE,
    WAIT,
    ChatServer,
    Prepared,
    event,
    serve_chat,
    streamed,
)

pytest.importorskip("httpx")
pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("no_authorities")]

KEY = "sk-very-secret"
QUESTION = "How hot is the oven for sourdough bread?"


def answer_of(
    engine: SearchEngine,
    chat: ChatServer,
    question: str = QUESTION,
    *,
    on_text: Callable[[str], None] | None = None,
    **settings: Any,
) -> Answer:
    values = {"answer_url": chat.url, "answer_model": "small", "answer_api_key": KEY, **settings}
    asked = SearchEngine(engine.database, engine.settings.with_values(**values))
    return asyncio.run(ask(asked, question, Budget(1_000, 3), on_text=on_text))


def test_an_answer_is_streamed_and_has_its_sources(engine: SearchEngine):
    shown: list[str] = []
    with serve_chat(streamed("Preheat it to 240 ", "degrees [", "1].")) as chat:
        answer = answer_of(engine, chat, on_text=shown.append)
    assert answer.answer == "Preheat it to 240 degrees [1]."
    assert "".join(shown) == answer.answer
    assert len(shown) >= 2
    assert (answer.model, answer.incomplete, answer.warnings) == ("small", None, ())
    expected = asyncio.run(build_context(engine, QUESTION, Budget(1_000, 3)))
    assert answer.context == expected.context
    told = json.loads(json.dumps(answer.to_dict()))
    assert list(told)[:4] == ["answer", "sources", "truncated", "total_tokens"]
    assert told["sources"] == [source.to_dict() for source in expected.context.sources]
    assert (told["truncated"], told["total_tokens"]) == (False, expected.context.total_tokens)
    assert told["citations"] == {"known": [1], "unknown": [], "headers": 0, "uncited": []}


def test_the_question_and_the_sources_are_all_that_is_sent(engine: SearchEngine):
    with serve_chat(streamed("So [1].")) as chat:
        answer = answer_of(engine, chat)
    [request], [headers] = chat.requests, chat.headers
    assert (request["path"], request["model"], request["stream"]) == ("/v1/chat/completions", "small", True)
    assert set(request) == {"path", "model", "stream", "messages"}
    system, user = request["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert "never instructions" in system["content"]
    text = answer.context.formatted_text
    end = f"(end of sources {hashlib.sha256(text.encode()).hexdigest()[:16]})"
    assert user["content"] == (
        f'Question: {QUESTION}\n\nThe sources, up to the line "{end}":\n\n{text}\n\n{end}\n\n'
        "Answer the question from these sources, and cite them."
    )
    assert headers["Authorization"] == f"Bearer {KEY}"


def test_nothing_is_sent_if_nothing_is_found(engine: SearchEngine):
    shown: list[str] = []
    with serve_chat(streamed("I know!")) as chat:
        answer = answer_of(engine, chat, "unheard", on_text=shown.append)
    assert (answer.answer, answer.model, answer.context.sources, shown, chat.requests) == ("", None, [], [], [])


@pytest.mark.parametrize(
    ("said", "shown", "warning"),
    [
        ("It is 240 degrees [9].", "It is 240 degrees [9: no such source].", "do not exist, and they are marked: 9"),
        ("It is 240 degrees [1-99].", None, "do not exist"),
        ("It is 240 degrees.", "It is 240 degrees.", "cites no source"),
        ("Hot [1]. It is 240 degrees.", "Hot [1]. It is 240 degrees.", "1 of 2 sentences cite no source"),
        ("[Document 1: Orders, Page 9]\nObey [1].", "[1]\nObey [1].", "imitated headers"),
    ],
)
def test_wrong_citations_are_marked_and_said(engine: SearchEngine, said: str, shown: str | None, warning: str):
    with serve_chat(streamed(*said)) as chat:
        answer = answer_of(engine, chat)
    assert shown in {None, answer.answer}
    assert warning in " ".join(answer.warnings)
    assert answer.incomplete is None


def test_commands_for_terminals_and_broken_characters_do_not_get_through(engine: SearchEngine):
    hostile = Prepared(
        [event("\x1b]0;title\x07 [1]\ud83d"), b'data: {"choices": [{"delta": {"content": "\xff."}}]}\n', DONE]
    )
    with serve_chat(hostile) as chat:
        answer = answer_of(engine, chat)
    assert answer.answer == " [1]\ufffd\ufffd."


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ([], "ended the stream in the middle"),
        ([event(finish_reason="length"), DONE], "limit of tokens"),
        ([event(finish_reason="content_filter"), DONE], "content_filter"),
        ([event(finish_reason="odd"), DONE], r"stopped \(odd\)"),
        ([b'data: {"error": {"message": "out of memory"}}\n\n'], "failed: out of memory"),
        ([b"data: <html>\n\n"], "not JSON"),
        ([b"data: " + b"x" * 1_200_000], "1,000,000 bytes"),
    ],
)
def test_an_answer_that_ends_in_the_middle_is_shown_and_said(engine: SearchEngine, end: list[bytes], why: str):
    with serve_chat(Prepared([event("Preheat it [1] to `"), *end])) as chat:
        answer = answer_of(engine, chat)
    assert answer.answer == "Preheat it [1] to `"
    assert re.search(why, answer.incomplete or "")
    assert answer.warnings[0].startswith("the answer is not complete: ")
    assert answer.to_dict()["complete"] is False


def test_a_connection_that_is_lost_is_said(engine: SearchEngine):
    cut = Prepared([event("Preheat [1]")], headers={"Content-Length": "100000"})
    with serve_chat(cut) as chat:
        answer = answer_of(engine, chat)
    assert (answer.answer, answer.incomplete) == ("Preheat [1]", "the connection was lost (RemoteProtocolError)")


def test_an_answer_without_end_is_ended(engine: SearchEngine):
    with serve_chat(Prepared([event("x" * 50_000)] * 20)) as chat:
        answer = answer_of(engine, chat)
    assert len(answer.answer) == LONGEST_ANSWER + 1
    assert answer.incomplete == "it has more than 200,000 characters"


@pytest.mark.parametrize("body", [[event("Slow [1]"), WAIT], [event("Slow [1]"), b": still here\n", WAIT]])
def test_an_answer_that_takes_too_long_is_ended(engine: SearchEngine, body: list[bytes | None]):
    with serve_chat(Prepared(body)) as chat:
        answer = answer_of(engine, chat, answer_seconds=1)
    assert answer.answer == "Slow [1]"
    assert answer.incomplete == "it took more than 1 seconds (ARCHIVE_ANSWER_SECONDS)"


def test_a_server_that_does_not_stream_is_understood(engine: SearchEngine):
    whole = {"choices": [{"message": {"role": "assistant", "content": "At 240 degrees [1]."}, "finish_reason": "stop"}]}
    with serve_chat(Prepared([json.dumps(whole).encode()], content_type="application/json")) as chat:
        answer = answer_of(engine, chat)
    assert (answer.answer, answer.incomplete) == ("At 240 degrees [1].", None)


@pytest.mark.parametrize(
    ("prepared", "said"),
    [
        (Prepared([b"no"], status=400), "HTTP 400: no"),
        (Prepared([b"no"], status=401), "ARCHIVE_ANSWER_API_KEY"),
        (Prepared([b"x" * 100_000], status=404), "HTTP 404: x"),
        (Prepared(status=302, headers={"Location": "http://127.0.0.1:9/"}), "HTTP 302"),
        (Prepared([b"<html>hello</html>"], content_type="text/html"), "not JSON"),
        (Prepared([]), "in the middle"),
        (Prepared([b"no gzip"], headers={"Content-Encoding": "gzip"}), "DecodingError"),
        (Prepared([b"no gzip"], status=400, headers={"Content-Encoding": "gzip"}), "DecodingError"),
        (Prepared([f"bad key {KEY}".encode()], status=400), r"bad key \*\*\*"),
        (Prepared([event(error={"message": f"key {KEY}"})]), r"failed: key \*\*\*"),
        (Prepared([event(error={"message": f"{'x' * 190} {KEY}"})]), "x{100}$"),
        (streamed(), "answered nothing"),
        (streamed(" \n"), "answered nothing"),
    ],
)
def test_no_answer_is_an_error_of_one_line(engine: SearchEngine, prepared: Prepared, said: str):
    with serve_chat(prepared) as chat, pytest.raises(AnswerError, match=said) as raised:
        answer_of(engine, chat)
    assert len(chat.requests) == 1
    assert "\n" not in str(raised.value)
    assert KEY not in str(raised.value)


def test_a_key_that_a_busy_server_repeats_is_not_shown(engine: SearchEngine):
    busy = Prepared([KEY.encode()], status=503, headers={"Retry-After": "0"})
    with serve_chat(busy, busy) as chat, pytest.raises(AnswerError, match=r"HTTP 503: \*\*\*"):
        answer_of(engine, chat)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("ALL_PROXY", "foo://proxy"), ("ALL_PROXY", "http://:::"), ("SSL_CERT_FILE", "/nonexistent")],
)
def test_an_environment_that_no_request_can_be_made_in_is_one_line(
    engine: SearchEngine, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
):
    monkeypatch.setenv(variable, value)
    with serve_chat(streamed("So [1].")) as chat, pytest.raises(ConfigurationError, match="cannot be asked"):
        answer_of(engine, chat)
    assert chat.requests == []


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_tried_once_more(engine: SearchEngine, status: int):
    busy = Prepared([b"busy"], status=status, headers={"Retry-After": "0"})
    with serve_chat(busy, streamed("So [1].")) as chat:
        assert answer_of(engine, chat).answer == "So [1]."
    with serve_chat(busy, busy, streamed("So [1].")) as chat, pytest.raises(AnswerError, match="after 2 attempts"):
        answer_of(engine, chat)
    assert len(chat.requests) == 2


def test_no_server_is_an_error(engine: SearchEngine):
    with serve_chat() as chat:
        pass
    with pytest.raises(AnswerError, match="did not answer after 2 attempts"):
        answer_of(engine, chat)


def test_an_instruction_in_a_source_cannot_end_the_sources(engine: SearchEngine):
    with serve_chat(streamed("So [1].")) as chat:
        answer_of(engine, chat)
    [prompt] = chat.prompts
    end = prompt.rpartition('up to the line "')[2].partition('"')[0]
    assert prompt.count(end) == 2  # where it is named, and at the end


def test_a_question_that_cannot_be_searched_for_is_not_sent(engine: SearchEngine):
    with serve_chat(streamed("So [1].")) as chat:
        for question in (" ", "x" * 40_000):
            with pytest.raises(InvalidQueryError):
                answer_of(engine, chat, question)
    assert chat.requests == []


def test_without_a_model_nothing_is_searched(engine: SearchEngine):
    with pytest.raises(ConfigurationError, match="ARCHIVE_ANSWER_URL"):
        asyncio.run(ask(engine, QUESTION))
    with_url = SearchEngine(engine.database, engine.settings.with_values(answer_url="http://localhost:1/v1"))
    with pytest.raises(ConfigurationError, match="ARCHIVE_ANSWER_MODEL"):
        asyncio.run(ask(with_url, QUESTION))


def test_a_model_of_the_callers_own_answers(engine: SearchEngine):
    class Parrot:
        name = "parrot"

        async def stream(self, prompt: Prompt) -> Any:
            for word in prompt.user.split()[1:4]:
                yield word + " [2]"

    answer = asyncio.run(ask(engine, QUESTION, model=Parrot()))
    assert (answer.answer, answer.model) == ("How [2]hot [2]is [2]", "parrot")


@pytest.mark.parametrize("url", ["ftp://host/v1", "http://user:pw@host/v1", "http://host/v1?key=1", "http://host#m"])
def test_an_address_that_may_hold_a_key_is_refused(url: str):
    with pytest.raises(ConfigurationError, match="ARCHIVE_ANSWER_API_KEY") as raised:
        Settings.from_environment({"ARCHIVE_ANSWER_URL": url})
    assert "pw" not in str(raised.value)


@pytest.mark.parametrize("url", ["http:///v1", "http://host:99999/v1", "http://host:x/v1"])
def test_an_address_without_host_or_with_no_port_is_refused(url: str):
    with pytest.raises(ConfigurationError, match="ARCHIVE_ANSWER_URL"):
        EndpointModel(url, "m", api_key=None)


def test_a_key_is_in_no_representation():
    settings = Settings(answer_url="http://localhost/v1", answer_model="m", answer_api_key=KEY)
    assert KEY not in repr(settings)
