"""Requests over HTTP end with their client, and with the server: nothing works on for somebody who is gone."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Final

import anyio
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_DISCONNECT: Final = "http.disconnect"
_STOPPED: Final = JSONResponse({"error": "the server was stopped before it answered"}, HTTPStatus.SERVICE_UNAVAILABLE)


class EndsWithClient:
    """An ASGI layer that cancels a request when its client is gone.

    Who answers reads a request once and sends when all is done; nothing would notice that nobody waits for it. A server
    that is stopped cancels what takes too long: its client is told.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or whatever else there is."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_answered = False

        async def send_on(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            await send(message)

        try:
            await self._serve(scope, receive, send_on)
        except asyncio.CancelledError:
            if not is_answered:
                await _STOPPED(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_read, is_gone = anyio.Event(), anyio.Event()

        async def read() -> Message:
            if is_read.is_set():
                await is_gone.wait()
                return {"type": _DISCONNECT}
            message = await receive()
            if not message.get("more_body"):
                is_read.set()
            return message

        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                await is_read.wait()
                while (await receive())["type"] != _DISCONNECT:
                    pass
                is_gone.set()
                tasks.cancel_scope.cancel()

            tasks.start_soon(watch)
            await self._app(scope, read, send)
            tasks.cancel_scope.cancel()
