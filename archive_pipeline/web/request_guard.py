"""An ASGI layer that lets only the user's own browser and programs reach a web server on this machine.

A page of any web site can send requests to servers on the reader's machine, and a name that an attacker owns can
resolve to 127.0.0.1 (DNS rebinding). So a request is refused unless its `Host` is a known name, it does not come from a
page of another origin, it cannot change anything by GET, and, where a token is asked for, it has the token. A token is
not enough where clients are of this machine: a browser sends the cookie to every port of 127.0.0.1, also to one on
which another user of the machine listens, so who shows it has to be a process of this user, too. The layer knows
nothing of the server behind it but the path of its GraphQL.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from archive_pipeline.web.access_token import AccessToken
from archive_pipeline.web.peers import NO_OWN_PEER
from archive_pipeline.web.token_page import token_page, wants_page

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
GRAPHQL_PATH: Final = "/graphql"
# What watches the server knows neither its names nor the token, and learns nothing but that it answers.
HEALTH_PATH: Final = "/health"
_SAFE: Final = frozenset({"GET", "HEAD"})
_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
# Headers that decide; a second one could be read by the server behind in place of the first.
_SINGLE: Final = (b"host", b"origin", b"content-type", b"sec-fetch-site", b"sec-fetch-mode", b"sec-fetch-dest")
_POLICY_VIOLATION: Final = 1008
_RESPONSE_HEADERS: Final = (
    # A framed page can be made to be clicked, a picture from elsewhere tells who looks at what. This policy adds to the
    # server's own one.
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", b"frame-ancestors 'none'; form-action 'self'; img-src 'self' data: blob:"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not passed on: a status of HTTP and a sentence that says what to do."""

    status: int
    reason: str


class RequestGuard:
    """The layer.

    Args:
        app: the server behind.
        names: host names besides the loopback ones that users may reach it by, without ports.
        token: what every request has to show, None for nothing.
        program: command that starts the server, for what refusals say.
        is_own_peer: tells whether the client is a process of this user.
    """

    def __init__(
        self,
        app: App,
        *,
        names: Collection[str] = (),
        token: AccessToken | None = None,
        program: str = "llm-archive up",
        is_own_peer: Callable[[Scope], bool] = lambda _scope: True,
    ) -> None:
        self._app = app
        self._names = LOOPBACK_NAMES | {name.lower() for name in names}
        self._token = token
        self._program = program
        self._is_own_peer = is_own_peer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] not in {"http", "websocket"}:  # the start and end of the server itself
            await self._app(scope, receive, send)
            return
        if _is_health_check(scope):
            await _answer(scope, send, HTTPStatus.OK, "answers")
            return
        headers = _single_headers(scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            if self._token is not None and refusal.status == HTTPStatus.UNAUTHORIZED and wants_page(scope):
                await _ask_for_token(send, token_page(self._token.location(scope), self._program))
            else:
                await _refuse(scope, receive, send, refusal)
        elif self._token is not None and self._token.is_shown_in_query(scope):
            await _redirect(send, self._token.location(scope), self._token.cookie(scope))
        else:
            await self._app(_without_query_by_get(scope), receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[bytes, str] | None) -> Refusal | None:
        if headers is None:
            return Refusal(400, "a header that decides about access is there twice")
        return (
            self._wrong_host(headers)
            or _foreign_page(scope, headers)
            or _unsafe_form(scope, headers)
            or self._stranger(scope)
        )

    def _wrong_host(self, headers: dict[bytes, str]) -> Refusal | None:
        host = _HOST.fullmatch(headers.get(b"host", "").lower())
        if host is not None and host["name"] in self._names:
            return None
        return Refusal(
            421,
            "this server does not go by that name; open the address that it printed; "
            f"`{self._program} --help` says which names it can be given",
        )

    def _stranger(self, scope: Scope) -> Refusal | None:
        if not self._is_own_peer(scope):
            return Refusal(HTTPStatus.FORBIDDEN, NO_OWN_PEER)
        if self._token is None or self._token.is_shown(scope):
            return None
        return Refusal(HTTPStatus.UNAUTHORIZED, f"a token is needed; open the address that `{self._program}` printed")


def _is_health_check(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] in _SAFE and scope["path"] == HEALTH_PATH


def _foreign_page(scope: Scope, headers: dict[bytes, str]) -> Refusal | None:
    """Refuse what a page of another origin asks for, but for following a link to a page."""
    origin = headers.get(b"origin")
    if origin is not None:
        # Another port of this machine is another origin. Behind a proxy that ends TLS the page's own one is https.
        host = headers[b"host"].lower()
        is_own = origin.lower() in {f"http://{host}", f"https://{host}"}
    else:
        is_own = headers.get(b"sec-fetch-site", "none") in {"none", "same-origin"} or _is_link(scope, headers)
    return None if is_own else Refusal(403, "requests of pages of other origins are not answered")


def _is_link(scope: Scope, headers: dict[bytes, str]) -> bool:
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and scope["path"].rstrip("/") != GRAPHQL_PATH
        and headers.get(b"sec-fetch-mode") == "navigate"
        and headers.get(b"sec-fetch-dest") == "document"
    )


def _unsafe_form(scope: Scope, headers: dict[bytes, str]) -> Refusal | None:
    """Refuse what could change something and a form or an image of any page could send."""
    if scope["type"] != "http":
        return None
    method = scope["method"]
    if method in _SAFE:
        if scope["path"].rstrip("/") == GRAPHQL_PATH and "text/html" not in headers.get(b"accept", ""):
            return Refusal(405, "GraphQL is answered by POST only, with Content-Type application/json")
        return None
    if method != "POST":
        return Refusal(405, "only GET, HEAD and POST are answered")
    # Browsers send other types across origins without asking first. What stands after the type decides nothing.
    if headers.get(b"content-type", "").partition(";")[0].strip().lower() != "application/json":
        return Refusal(415, "send application/json")
    return None


def _single_headers(scope: Scope) -> dict[bytes, str] | None:
    """Return the headers by name in lower case; None if one that decides is there more than once."""
    names = [name.lower() for name, _ in scope["headers"]]
    if any(names.count(name) > 1 for name in _SINGLE):
        return None
    return {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _without_query_by_get(scope: Scope) -> Scope:
    """Take the query string from GraphQL by GET: what gets there is its page for people, whatever it is asked."""
    if scope["type"] == "http" and scope["path"].rstrip("/") == GRAPHQL_PATH:
        return {**scope, "query_string": b""}
    return scope


def _with_headers(send: Send) -> Send:
    async def send_on(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *_RESPONSE_HEADERS]}
        await send(message)

    return send_on


async def _refuse(scope: Scope, receive: Receive, send: Send, refusal: Refusal) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": refusal.reason})
        return
    await _answer(scope, send, refusal.status, f"refused: {refusal.reason}")


async def _answer(scope: Scope, send: Send, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store"), *_RESPONSE_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    body = b"" if scope["method"] == "HEAD" else f"{text}\n".encode()
    await send({"type": "http.response.body", "body": body})


async def _ask_for_token(send: Send, page: bytes) -> None:
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"referrer-policy", b"same-origin"),
        *_RESPONSE_HEADERS,
        (b"content-security-policy", b"default-src 'none'; form-action 'self'; base-uri 'none'"),
    ]
    await send({"type": "http.response.start", "status": HTTPStatus.UNAUTHORIZED, "headers": headers})
    await send({"type": "http.response.body", "body": page})


async def _redirect(send: Send, location: str, cookie: str) -> None:
    headers = [
        (b"location", location.encode("ascii")),
        (b"set-cookie", cookie.encode("ascii")),
        (b"cache-control", b"no-store"),
        (b"referrer-policy", b"no-referrer"),
        *_RESPONSE_HEADERS,
    ]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
