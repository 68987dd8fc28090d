"""Requests that are given up: by their client, or by the server that ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from archive_pipeline.web.disconnects import EndsWithClient

SCOPE = {"type": "http", "method": "GET", "path": "/", "headers": []}
START = {"type": "http.response.start", "status": 200, "headers": []}


class Exchange:
    """A request whose client stays until it leaves, served by an application that does not end by itself."""

    def __init__(self, *, starts: bool) -> None:
        self.sent: list[dict[str, Any]] = []
        self.works, self.leaves = asyncio.Event(), asyncio.Event()
        self._starts, self._is_read = starts, False

    async def app(self, _scope: Any, receive: Any, send: Any) -> None:
        await receive()
        if self._starts:
            await send(START)
        self.works.set()
        await asyncio.Event().wait()

    async def receive(self) -> dict[str, Any]:
        if self._is_read:
            await self.leaves.wait()
            return {"type": "http.disconnect"}
        self._is_read = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    async def serve(self) -> asyncio.Task[None]:
        """Return the task of the request once the application is at work."""
        task = asyncio.create_task(EndsWithClient(self.app)(SCOPE, self.receive, self.send))
        await asyncio.wait_for(self.works.wait(), 5)
        return task


def test_a_client_that_leaves_takes_its_request_along():
    async def run() -> list[dict[str, Any]]:
        exchange = Exchange(starts=False)
        task = await exchange.serve()
        exchange.leaves.set()
        await asyncio.wait_for(task, 5)
        return exchange.sent

    assert asyncio.run(run()) == []


@pytest.mark.parametrize("starts", [False, True])
def test_a_server_that_ends_tells_the_client(starts: bool):
    async def run() -> list[dict[str, Any]]:
        exchange = Exchange(starts=starts)
        task = await exchange.serve()
        task.cancel()
        await asyncio.wait_for(task, 5)
        return exchange.sent

    sent = asyncio.run(run())
    assert sent[0]["status"] == (200 if starts else 503)
    assert [message["body"] for message in sent[1:]] == (
        [] if starts else [b'{"error":"the server was stopped before it answered"}']
    )
