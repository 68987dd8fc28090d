"""A search ends with whoever asked for it: PostgreSQL does nothing for it any more."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from archive_pipeline.errors import QueryTimeoutError
from archive_pipeline.retrieval.context.archive import build_context
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store import reading
from archive_pipeline.store.database import Database
from archive_pipeline_tests.retrieval.search.archive import import_all
from archive_pipeline_tests.store.activity import locked, waiting
from archive_pipeline_tests.system.commands import wait_until
from archive_pipeline_tests.variants import some_of

pytestmark = pytest.mark.postgres

PROGRAM = "from archive_pipeline.cli import main; main()"
CHUNKS = "derived.qa_chunks"


@pytest.fixture(scope="module")
def engine(module_archive: Database, tmp_path_factory: pytest.TempPathFactory) -> SearchEngine:
    """The small archive of the search tests; tests only read it."""
    own = Settings(home=tmp_path_factory.mktemp("home"))
    import_all(module_archive, own, own.home / "exports")
    return SearchEngine(module_archive, own)


@pytest.fixture(scope="module")
def variables(engine: SearchEngine) -> dict[str, str]:
    return {
        **os.environ,
        "ARCHIVE_HOME": str(engine.settings.home),
        "ARCHIVE_DATABASE_URL": engine.database.url,
    }


def test_a_search_that_takes_too_long_says_so(engine: SearchEngine, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "STATEMENT_SECONDS", 0.3)
    with locked(engine.database, CHUNKS):
        for mode in ("lexical", "hybrid"):
            with pytest.raises(QueryTimeoutError, match=r"more than 0\.3 seconds"):
                engine.search_now("bread", 3, mode)
        with pytest.raises(QueryTimeoutError):
            asyncio.run(build_context(engine, "bread"))
        assert waiting(engine.database) == 0
    assert engine.search_now("bread", 3, "lexical")


@pytest.mark.parametrize("ask", [lambda engine: engine.search("bread"), lambda engine: build_context(engine, "bread")])
def test_a_task_that_is_cancelled_ends_its_search(engine: SearchEngine, ask: Callable[[SearchEngine], Any]):
    async def cancelled() -> None:
        task = asyncio.create_task(ask(engine))
        await asyncio.to_thread(wait_until, lambda: waiting(engine.database) == 1, "the search waits")
        task.cancel()
        await task

    with locked(engine.database, CHUNKS):
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancelled())
        assert waiting(engine.database) == 0


@pytest.mark.parametrize(
    ("arguments", "table"),
    some_of([(["search", "bread"], CHUNKS), (["context", "bread"], CHUNKS), (["stats"], "raw.dialogues")]),
    ids=["search", "context", "stats"],
)
def test_ctrl_c_ends_a_command_and_its_statement(
    engine: SearchEngine, variables: dict[str, str], arguments: list[str], table: str
):
    with (
        locked(engine.database, table),
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=variables,
        ) as process,
    ):
        try:
            wait_until(lambda: waiting(engine.database) == 1, "the command waits")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=300)
        finally:
            process.kill()
        assert (process.returncode, out) == (130, "")
        assert len(err.strip().splitlines()) == 1
        assert waiting(engine.database) == 0


def test_a_client_that_cancels_its_call_ends_the_search(
    engine: SearchEngine, variables: dict[str, str], tmp_path: Path
):
    pytest.importorskip("mcp.server.mcpserver", exc_type=ImportError)
    from archive_pipeline_tests.mcp_server.test_server import connected

    async def ask() -> None:
        async with connected(variables, tmp_path / "log") as client:
            for tool in ("search", "context"):
                call = asyncio.create_task(client.call_tool(tool, {"query": "bread"}))
                await asyncio.to_thread(wait_until, lambda: waiting(engine.database) == 1, "the search waits")
                call.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await call
                await asyncio.to_thread(wait_until, lambda: waiting(engine.database) == 0, "the search ends")

    with locked(engine.database, CHUNKS):
        asyncio.run(ask())


@pytest.fixture(scope="module")
def address(variables: dict[str, str]) -> Iterator[str]:
    pytest.importorskip("mcp.server.mcpserver", exc_type=ImportError)
    from archive_pipeline_tests.mcp_server.test_server import free_port, listeners

    port = free_port()
    with subprocess.Popen([sys.executable, "-c", PROGRAM, "mcp", "--http", str(port)], env=variables) as process:
        try:
            wait_until(lambda: bool(listeners(process.pid)), "the server listens")
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(300)


@pytest.mark.parametrize("protocol", ["2025-06-18", "2026-07-28"])
def test_a_client_that_leaves_ends_its_search(engine: SearchEngine, address: str, protocol: str):
    from archive_pipeline_tests.mcp_server.test_server import META

    call = {"name": "search", "arguments": {"query": "bread"}, "_meta": META}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": protocol,
        "Mcp-Method": "tools/call",
        "Mcp-Name": "search",
    }

    async def leave() -> None:
        async with httpx.AsyncClient(timeout=600) as client:
            sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
            asking = asyncio.create_task(client.post(address, json=sent, headers=headers))
            await asyncio.to_thread(wait_until, lambda: waiting(engine.database) == 1, "the search waits")
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking

    with locked(engine.database, CHUNKS):
        asyncio.run(leave())
        wait_until(lambda: waiting(engine.database) == 0, "the search ends")
    answer = httpx.post(
        address, json={"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}, headers=headers, timeout=600
    )
    assert "Baking" in answer.text
