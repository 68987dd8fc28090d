"""Who gets an answer of the web server, at the protocol between it and the guard."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, MutableMapping
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.web.access_token import AccessToken, load_token
from archive_pipeline.web.request_guard import RequestGuard

OWN = "127.0.0.1:3000"
JSON = {"content-type": "application/json"}
PAGE = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "accept": "text/html"}
SECRET = "s" * 43


class Behind:
    """A server that answers everything, and remembers what got to it."""

    def __init__(self) -> None:
        self.asked: list[MutableMapping[str, Any]] = []

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        self.asked.append(scope)
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"answer"})


def ask(
    method: str,
    target: str,
    headers: Iterable[tuple[str, str]] | dict[str, str],
    *,
    host: str | None = OWN,
    behind: Behind | None = None,
    **options: Any,
) -> list[MutableMapping[str, Any]]:
    """Return the messages that a request is answered with; the method WS is a WebSocket."""
    pairs = [*([("host", host)] if host is not None else []), *dict(headers).items()]
    if not isinstance(headers, dict):
        pairs = [*([("host", host)] if host is not None else []), *headers]
    path, _, query = target.partition("?")
    scope = {
        "type": "websocket" if method == "WS" else "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in pairs],
        "scheme": "http",
    }
    answer: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        answer.append(message)

    asyncio.run(RequestGuard(behind or Behind(), **options)(scope, receive, send))
    return answer


def status(*arguments: Any, **named: Any) -> int:
    """The status of HTTP; of a WebSocket 101, or the code it is closed with."""
    first = ask(*arguments, **named)[0]
    return int(first.get("status") or first.get("code") or 101)


@pytest.mark.parametrize(
    ("method", "target", "headers"),
    [
        ("GET", "/", {}),
        ("HEAD", "/", {}),
        ("GET", "/assets", {**PAGE, "sec-fetch-site": "none"}),
        ("GET", "/runs/1", {**PAGE, "sec-fetch-site": "cross-site"}),
        ("GET", "/static/a.js", {"sec-fetch-site": "same-origin", "sec-fetch-dest": "script"}),
        ("GET", "/graphql", {**PAGE, "sec-fetch-site": "none"}),
        ("POST", "/graphql", JSON),
        ("POST", "/graphql", {"content-type": "Application/JSON; charset=utf-8", "origin": f"http://{OWN}"}),
        ("POST", "/graphql", {**JSON, "sec-fetch-site": "same-origin"}),
        ("WS", "/graphql", {"origin": f"http://{OWN}"}),
        ("WS", "/graphql", {}),
    ],
)
def test_the_pages_own_requests_and_programs_of_the_user_are_answered(
    method: str, target: str, headers: dict[str, str]
):
    assert status(method, target, headers) in {200, 101}


@pytest.mark.parametrize("host", [OWN, "localhost:3000", "LOCALHOST:8080", "[::1]:3000", "127.0.0.1", "proxy.example"])
def test_the_server_goes_by_the_loopback_names_and_those_it_was_given(host: str):
    assert status("GET", "/", {}, host=host, names=["Proxy.example"]) == 200


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "evil.example:3000",
        "127.0.0.1.evil.example",
        "evil.example@127.0.0.1",
        "127.0.0.1:3000 ",
        "localhost.",
        "0.0.0.0:3000",
        "127.0.0.1:3000/",
        "127.0.0.1:x",
        "127.0.0.1,evil.example",
        "[::2]",
        "2130706433",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "WS"])
def test_no_other_name_is_answered(host: str | None, method: str):
    behind = Behind()
    origin = {"origin": f"http://{host}"} if host else {}
    assert status(method, "/graphql", {**JSON, **PAGE, **origin}, host=host, behind=behind) in {421, 1008}
    assert behind.asked == []


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:4000"},
        {"origin": "http://localhost:3000"},
        {"origin": "http://127.0.0.1"},
        {"origin": "http://127.0.0.1:3000.evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "file://"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "anything else"},
        {"origin": "http://evil.example", "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
    ],
)
@pytest.mark.parametrize(
    ("method", "target"), [("GET", "/"), ("GET", "/graphql"), ("POST", "/graphql"), ("WS", "/graphql")]
)
def test_pages_of_other_origins_are_refused(headers: dict[str, str], method: str, target: str):
    behind = Behind()
    assert status(method, target, {**JSON, "accept": "text/html", **headers}, behind=behind) in {403, 1008}
    assert behind.asked == []


def test_a_link_to_graphql_is_no_link_to_a_page():
    headers = {**PAGE, "sec-fetch-site": "cross-site"}
    for path in ("/graphql", "/graphql/"):
        assert status("GET", f"{path}?query=mutation", headers) == 403


@pytest.mark.parametrize("path", ["/graphql", "/graphql/"])
def test_graphql_by_get_never_gets_what_it_is_asked(path: str):
    assert status("GET", f"{path}?query=mutation", {}) == 405
    assert status("HEAD", f"{path}?query=mutation", {}) == 405
    behind = Behind()
    assert status("GET", f"{path}?query=mutation", PAGE, behind=behind) == 200
    assert [scope["query_string"] for scope in behind.asked] == [b""]


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/graphql",
        "application/jsonx",
    ],
)
@pytest.mark.parametrize("path", ["/graphql", "/report_asset_materialization/raw/dialogues"])
def test_what_a_form_can_send_is_refused(content_type: str | None, path: str):
    headers = {} if content_type is None else {"content-type": content_type}
    assert status("POST", f"{path}?query=mutation", headers) == 415


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "get"])
def test_other_methods_are_refused(method: str):
    assert status(method, "/graphql", JSON) == 405


@pytest.mark.parametrize("name", ["host", "Origin", "content-type", "sec-fetch-site"])
def test_a_second_header_that_decides_is_refused(name: str):
    twice = [(name, f"http://{OWN}" if name == "Origin" else OWN)] * 2
    assert status("POST", "/graphql", twice) == 400


@pytest.mark.parametrize("has_token", [False, True])
def test_clients_of_other_users_are_refused_also_with_the_cookie_that_a_browser_sends_to_every_port(
    has_token: bool,
):
    behind, options = Behind(), {"is_own_peer": lambda _scope: False, **(token_options() if has_token else {})}
    cookie = {"cookie": f"llm_archive_3000={SECRET}"}
    assert status("GET", "/", cookie, behind=behind, **options) == 403
    assert status("WS", "/graphql", cookie, behind=behind, **options) == 1008
    assert behind.asked == []


def token_options() -> dict[str, Any]:
    return {"token": AccessToken(SECRET, port=3000)}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, 401),
        ({"authorization": f"Bearer {SECRET}"}, 200),
        ({"authorization": f"Bearer {SECRET}x"}, 401),
        ({"authorization": SECRET}, 401),
        ({"cookie": f"a=b; llm_archive_3000={SECRET}"}, 200),
        ({"cookie": f"llm_archive_3001={SECRET}"}, 401),
        ({"cookie": "llm_archive_3000="}, 401),
        ({"cookie": "llm_archive_3000=\u00e9"}, 401),
    ],
)
def test_who_shows_the_token_is_answered(headers: dict[str, str], expected: int):
    assert status("POST", "/graphql", {**JSON, **headers}, **token_options()) == expected
    assert status("WS", "/graphql", headers, **token_options()) == (101 if expected == 200 else 1008)


def test_the_token_goes_from_the_address_into_a_cookie():
    start = ask("GET", f"//runs/a?x=1&token={SECRET}&y=", {}, **token_options())[0]
    headers = dict(start["headers"])
    assert (start["status"], headers[b"location"]) == (303, b"/runs/a?x=1&y=")
    assert headers[b"set-cookie"] == f"llm_archive_3000={SECRET}; Path=/; HttpOnly; SameSite=Strict".encode()
    assert status("GET", f"/?token={SECRET}x", {}, **token_options()) == 401
    assert status("GET", "/?token=", {}, **token_options()) == 401
    assert status("POST", f"/graphql?token={SECRET}", JSON, **token_options()) == 401


def test_a_browser_without_the_token_is_asked_for_it_and_led_on():
    start, body = ask(
        "GET", "/dialogues/x?at=<b>&y=&token=old", {**PAGE, "sec-fetch-site": "cross-site"}, **token_options()
    )
    page, headers = body["body"].decode(), dict(start["headers"])
    assert start["status"] == 401
    assert '<a href="/dialogues/x?at=%3Cb%3E&amp;y=">' in page
    assert '<form method="get" action="/dialogues/x">' in page
    assert '<input type="hidden" name="at" value="&lt;b&gt;">' in page
    assert '<input name="token" type="password"' in page
    assert "<b>" not in page
    assert "old" not in page
    assert SECRET not in page
    assert b"default-src 'none'" in headers[b"content-security-policy"]
    assert b"form-action 'self'" in headers[b"content-security-policy"]
    # Sending the form shows the token as the printed address does.
    assert status("GET", f"/dialogues/x?at=1&token={SECRET}", PAGE, **token_options()) == 303


@pytest.mark.parametrize(
    ("method", "headers"), [("GET", {}), ("HEAD", PAGE), ("POST", {**JSON, "accept": "text/html"})]
)
def test_programs_without_the_token_get_a_line(method: str, headers: dict[str, str]):
    start = ask(method, "/dialogues/x", headers, **token_options())[0]
    assert (start["status"], dict(start["headers"])[b"content-type"]) == (401, b"text/plain; charset=utf-8")


def test_the_token_does_not_make_up_for_a_foreign_page():
    headers = {**JSON, "authorization": f"Bearer {SECRET}", "origin": "http://evil.example"}
    assert status("POST", "/graphql", headers, **token_options()) == 403


def test_answers_may_not_be_framed_and_tell_nobody_of_pictures():
    headers = dict(ask("GET", "/", {})[0]["headers"])
    assert headers[b"x-frame-options"] == b"DENY"
    assert b"frame-ancestors 'none'" in headers[b"content-security-policy"]
    assert b"img-src 'self'" in headers[b"content-security-policy"]


def test_a_token_is_made_once_and_only_its_user_can_read_it(tmp_path: Path):
    token = load_token(tmp_path, port=1)
    file = tmp_path / "up.token"
    assert file.stat().st_mode & 0o777 == 0o600
    secret = file.read_text().strip()
    assert (
        load_token(tmp_path, port=1).address("http://h:1")
        == token.address("http://h:1")
        == f"http://h:1/?token={secret}"
    )
    assert secret not in repr(token)


@pytest.mark.parametrize(("content", "mode"), [(SECRET, 0o644), ("short", 0o600), ("", 0o600), ("; Path=/" * 9, 0o600)])
def test_a_token_that_others_know_or_can_guess_is_not_used(tmp_path: Path, content: str, mode: int):
    (tmp_path / "up.token").write_text(content)
    (tmp_path / "up.token").chmod(mode)
    with pytest.raises(ConfigurationError, match="delete it"):
        load_token(tmp_path, port=1)


@pytest.mark.parametrize("host", [OWN, "10.1.2.3:80", "evil.example", None])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_whoever_watches_the_server_learns_that_it_answers_and_nothing_else(host: str | None, method: str):
    behind = Behind()
    token = AccessToken(SECRET, port=3000)
    start, body = ask(method, "/health", {}, host=host, behind=behind, token=token)
    assert (start["status"], body["body"]) == (200, b"" if method == "HEAD" else b"answers\n")
    assert behind.asked == []


@pytest.mark.parametrize(
    ("method", "target"),
    [("POST", "/health"), ("GET", "/health/"), ("GET", "/healthy"), ("GET", "/"), ("WS", "/health")],
)
def test_nothing_else_is_answered_without_the_token(method: str, target: str):
    behind = Behind()
    assert status(method, target, JSON, behind=behind, token=AccessToken(SECRET, port=3000)) in {401, 1008}
    assert behind.asked == []
