"""An assistant: the official client, connected to the real command."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal

PROGRAM = "from archive_pipeline.cli import main; main()"

Call = tuple[str, dict[str, object]]


@dataclass(frozen=True)
class Assistant:
    """A client of a server that runs as long as the tests do."""

    client: Any
    portal: BlockingPortal
    variables: Mapping[str, str]

    def tools(self) -> list[Any]:
        return list(self.portal.call(self.client.list_tools).tools)

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return what a tool answers."""
        [result] = self.results((tool, arguments))
        assert not result.is_error, result.content[0].text
        answer: dict[str, Any] = result.structured_content
        return answer

    def results(self, *calls: Call) -> list[Any]:
        """Make calls at once."""

        async def all_at_once() -> list[Any]:
            return await asyncio.gather(*(self.client.call_tool(*call) for call in calls))

        return self.portal.call(all_at_once)


@asynccontextmanager
async def connected(variables: Mapping[str, str], log: Path, *command: str) -> AsyncIterator[Any]:
    """Start the command, or another one, and connect the official client."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    program, *arguments = command or (sys.executable, "-c", PROGRAM, "mcp")
    server = StdioServerParameters(command=program, args=arguments, env=dict(variables))
    with log.open("w") as said:
        async with Client(stdio_client(server, said)) as client:
            yield client
