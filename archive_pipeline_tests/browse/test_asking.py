"""Asking in a browser and by seed 002's endpoint: only with a model, only when asked to, and with checked answers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from archive_pipeline.browse.app import build_app
from archive_pipeline.browse.asking import MOST_BYTES, ShownForms
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.web.access_token import AccessToken
from archive_pipeline.web.request_guard import RequestGuard
from archive_pipeline_tests.answering.chat_server import WAIT, ChatServer, Prepared, event, serve_chat, streamed
from archive_pipeline_tests.retrieval.search.archive import import_all, key

pytest.importorskip("httpx")
pytestmark = pytest.mark.postgres

ENDPOINT = "/api/research/ask"
QUESTION = "how hot is the oven"
TOKEN = "t" * 32
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def send_form(client: Any, question: str) -> Any:
    """Send the form of the page as a browser does."""
    [form] = re.findall(r'name="form" value="([^"]+)"', client.get("/ask", headers=BEARER).text)
    return client.get("/ask", params={"question": question, "form": form}, headers=BEARER)


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    with serve_chat() as server:
        yield server


@pytest.fixture(scope="module")
def small(module_archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """The small archive of the search tests; tests only read it."""
    import_all(module_archive, settings, tmp_path_factory.mktemp("exports"))
    return module_archive


@pytest.fixture
def engine(settings: Settings, small: Database, chat: ChatServer) -> SearchEngine:
    return SearchEngine(small, settings.with_values(answer_url=chat.url, answer_model="small"))


@pytest.fixture
def client(engine: SearchEngine) -> Iterator[Any]:
    """The application behind the guard, as `llm-archive browse` serves it."""
    guarded = RequestGuard(build_app(engine), token=AccessToken(TOKEN, port=80))
    with TestClient(guarded, base_url="http://127.0.0.1", follow_redirects=False) as client:
        yield client


def test_the_seeds_endpoint_answers_with_its_sources(client: Any, chat: ChatServer):
    chat.answers.append(streamed("At 240 ", "degrees [1], ", "not 9 [9]."))
    query = {"query": f"{QUESTION} in January 2024", "max_sources": 1, "time_words": False}
    answer = client.post(ENDPOINT, json=query, headers=BEARER)
    assert answer.status_code == 200
    found = answer.json()
    assert list(found)[:4] == ["answer", "sources", "truncated", "total_tokens"]
    assert found["answer"] == "At 240 degrees [1], not 9 [9: no such source]."
    assert [(source["doc_id"], source["page"]) for source in found["sources"]] == [(key("bread"), 2)]
    assert (found["truncated"], found["complete"], found["notes"]) == (False, True, [])
    assert len(chat.requests) == 1


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"query": " "}, 400, "query is empty"),
        ({"query": "x" * 40_000}, 400, "40,000 characters"),
        ({"query": QUESTION, "mode": "telepathy"}, 400, "telepathy"),
        ({}, 400, "query is missing"),
        ({"query": 1}, 400, "query has to be a text"),
        ({"query": QUESTION, "max_tokens": 0}, 400, "max_tokens has to be a whole number from 1 on"),
        ({"query": QUESTION, "max_sources": 1_001}, 400, "max_sources has to be a whole number from 1 to 1,000"),
        ({"query": QUESTION, "url": "http://a.example"}, 400, "a request has no 'url'; there are query, max_tokens,"),
        ([], 400, "the body is no JSON object"),
        ({"query": "x" * MOST_BYTES}, 413, "at most 262,144 bytes"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_request_is_refused_and_nothing_is_sent(
    client: Any, chat: ChatServer, body: object, status: int, said: str
):
    answer = client.post(ENDPOINT, json=body, headers=BEARER)
    assert answer.status_code == status
    assert said in answer.json()["error"]
    assert chat.requests == []


def test_only_the_users_own_programs_can_ask(client: Any, chat: ChatServer):
    body = {"query": QUESTION}
    assert client.post(ENDPOINT, json=body).status_code == 401
    assert client.post(ENDPOINT, json=body, headers={**BEARER, "Origin": "http://a.example"}).status_code == 403
    assert client.post(ENDPOINT, json=body, headers={**BEARER, "Host": "a.example"}).status_code == 421
    assert client.post(ENDPOINT, data=body, headers=BEARER).status_code == 415
    assert client.get(ENDPOINT, headers=BEARER).status_code == 405
    assert client.get("/ask", params={"question": QUESTION}).status_code == 401
    assert chat.requests == []


def test_an_endpoint_that_fails_is_said(client: Any, chat: ChatServer):
    chat.answers += [Prepared([b"no"], status=404), Prepared([b"no"], status=404)]
    answer = client.post(ENDPOINT, json={"query": QUESTION}, headers=BEARER)
    assert (answer.status_code, answer.json()) == (502, {"error": f"{chat.url}/chat/completions answered HTTP 404: no"})
    page = send_form(client, QUESTION)
    assert page.status_code == 502
    assert "HTTP 404" in page.text
    assert f'value="{QUESTION}"' in page.text


def test_an_archive_that_does_not_answer_is_said_as_json(settings: Settings, chat: ChatServer):
    gone = Database("postgresql://archive@127.0.0.1:1/archive?connect_timeout=2")
    engine = SearchEngine(gone, settings.with_values(answer_url=chat.url, answer_model="small"))
    guarded = RequestGuard(build_app(engine), token=AccessToken(TOKEN, port=80))
    with TestClient(guarded, base_url="http://127.0.0.1") as client:
        response = client.post(ENDPOINT, json={"query": QUESTION}, headers=BEARER)
    assert (response.status_code, list(response.json())) == (503, ["error"])
    assert chat.requests == []


def test_without_a_model_there_is_nothing_to_ask(settings: Settings, database: Database):
    app = build_app(SearchEngine(database, settings))
    with TestClient(app) as client:
        assert client.post(ENDPOINT, json={"query": QUESTION}).status_code == 404
        assert client.get("/ask").status_code == 404
        assert 'href="/ask"' not in client.get("/").text


def test_the_page_asks_when_its_form_is_sent_and_only_then(client: Any, chat: ChatServer):
    assert 'href="/ask"' in client.get("/", headers=BEARER).text
    assert 'action="/ask"' in client.get("/ask", headers=BEARER).text
    # As a link in a message does, which is of the same origin.
    for made_up in ({}, {"form": ""}, {"form": "guessed"}):
        asked = {"question": QUESTION, **made_up}
        page = client.get("/ask", params=asked, headers={**BEARER, "Sec-Fetch-Site": "same-origin"})
        assert f'value="{QUESTION}"' in page.text
        assert "Sources" not in page.text
    assert chat.requests == []
    chat.answers.append(streamed("**At 240** degrees [1].\n\n<script>alert(1)</script> ![x](http://a.example/?q=1)"))
    page = send_form(client, QUESTION)
    assert '<strong>At 240</strong> degrees <a href="#source-1"' in page.text
    assert '<li id="source-1">' in page.text
    assert "<script" not in page.text
    assert "<img" not in page.text
    assert "script-src" not in page.headers["content-security-policy"]
    html = unescape(page.text)
    assert f'href="/pages/{key("bread")}/2"' in html
    assert "1 of 2 sentences cite no source" in html
    again = client.get(str(page.request.url), headers=BEARER)  # the page is loaded again
    assert "Sources" not in again.text
    assert f'value="{QUESTION}"' in again.text
    assert len(chat.requests) == 1


def test_forms_are_forgotten_once_they_asked_or_many_came_after():
    forms = ShownForms()
    first, second = forms.show(), forms.show()
    assert (forms.take(first), forms.take(first), forms.take("")) == (True, False, False)
    for _ in range(1_000):
        newest = forms.show()
    assert (forms.take(second), forms.take(newest)) == (False, True)


def test_the_page_says_that_nothing_was_found(client: Any, chat: ChatServer):
    page = send_form(client, "unheard")
    assert "<p>Nothing was found, and no model was asked.</p>" in page.text
    assert chat.requests == []


def test_a_client_that_goes_away_ends_the_request(engine: SearchEngine, chat: ChatServer):
    chat.answers.append(Prepared([event("Slow [1]"), WAIT]))
    app = build_app(engine)
    body = b'{"query": "how hot is the oven"}'
    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": ENDPOINT, "query_string": b"", "headers": headers}
    sent: list[Any] = []

    async def leave() -> None:
        messages = [{"type": "http.request", "body": body}]

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            while not chat.requests:
                await asyncio.sleep(0.01)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        # It would wait for the answer until ARCHIVE_ANSWER_SECONDS otherwise.
        await asyncio.wait_for(app(scope, receive, send), 60)

    asyncio.run(leave())
    assert sent == []
