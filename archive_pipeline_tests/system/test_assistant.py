"""An assistant's server stays when the database under it is killed."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from archive_pipeline.store.server.embedded import release
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.mcp_server.test_server import connected
from archive_pipeline_tests.processes import has_ended
from archive_pipeline_tests.system.commands import SCRIPT, wait_until

pytestmark = [pytest.mark.system, pytest.mark.postgres]


@pytest.mark.long
def test_a_killed_database_is_started_again(new_archive: tuple[Path, Any], tmp_path: Path):
    pytest.importorskip("mcp.server.mcpserver", exc_type=ImportError)
    home, database = new_archive
    load(database, tmp_path / "a.json", chatgpt("a", chain("What is yeast?", "A fungus that raises dough.")))
    server = server_of(home)

    async def ask(client: Any) -> Any:
        return await client.call_tool("get_dialogue", {"key_or_id": "chatgpt-a"})

    async def before_and_after() -> list[Any]:
        variables = {"ARCHIVE_HOME": str(home), "PATH": os.environ["PATH"]}
        async with connected(variables, tmp_path / "log", str(SCRIPT), "mcp") as client:
            answers = [await ask(client)]
            server.send_signal(signal.SIGQUIT)
            # Until it has ended, its sessions may answer one more time.
            wait_until(lambda: has_ended(server), "the server has ended")
            answers += [await ask(client) for _ in range(2)]
            return answers

    first, during, after = asyncio.run(before_and_after())
    assert not first.is_error
    # A request that the kill interrupts may fail, and says so.
    assert not during.is_error or "ask again" in during.content[0].text
    assert after.structured_content == first.structured_content

    again = server_of(home)
    assert not has_ended(again)
    database.engine.dispose()
    release(home / "postgres")
    assert has_ended(again)


def server_of(home: Path) -> psutil.Process:
    return psutil.Process(int((home / "postgres" / "postmaster.pid").read_text().split()[0]))
