"""The archive for assistants: tools over the Model Context Protocol that read, and one that annotates if it may.

What tools return are texts that somebody wrote once; each answer says so in ``notice``.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, Final

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult, Tool, ToolAnnotations
from pydantic import ValidationError

from archive_pipeline.errors import ArchiveError
from archive_pipeline.mcp_server.annotations import AnnotationTools
from archive_pipeline.mcp_server.notice import NOTICE
from archive_pipeline.mcp_server.parameters import (
    FirstCharacter,
    FirstPage,
    KeyOrId,
    Limit,
    MaxCharacters,
    MaxPages,
    MaxSources,
    MaxTokens,
    Mode,
    Query,
    TimeWords,
    with_filters,
)
from archive_pipeline.retrieval.context.archive import Budget, build_context
from archive_pipeline.retrieval.pages.reading import ReadPages, Window
from archive_pipeline.retrieval.pages.wholes import read_whole_or_pages
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.modes import DEFAULT_MODE
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_unavailable, reason_of
from archive_pipeline.store.reading import ReadRequest, read_in_thread
from archive_pipeline.web.browse_links import cited_path, link
from archive_pipeline.web.disconnects import EndsWithClient
from archive_pipeline.web.peers import OwnPeersOnly

_INSTRUCTIONS: Final = (
    "Access to an archive of earlier conversations with language models, and of documents. "
    "`search` finds pages, `context` gives their texts with numbered sources, `get_dialogue` reads on, "
    "`get_annotations` tells what the user said about a dialogue. {} " + NOTICE
)
_READ_ONLY: Final = "Nothing can be written."
_ANNOTATING: Final = "`annotate` changes that, when the user asks for it; nothing else can be written."
_READING: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_WRITING: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)

_log = logging.getLogger(__name__)


class ArchiveServer(MCPServer[None]):
    """A server that takes no argument it does not know, and whose errors are one line for the client."""

    async def list_tools(self) -> list[Tool]:
        """Return the tools; their schemas say that there are no other arguments."""
        tools = await super().list_tools()
        return [
            tool.model_copy(update={"input_schema": {**tool.input_schema, "additionalProperties": False}})
            for tool in tools
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Run a tool.

        Raises:
            ToolError: whatever failed, on one line.
        """
        parameters = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        known = parameters.get(name, arguments)  # that a tool is unknown is said below
        for argument in arguments:
            if argument not in known:
                raise ToolError(_one_line(f"{argument}: there is no such argument, but {', '.join(known)}"))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            raise ToolError(_one_line(_message(error.__cause__ or error))) from error

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[None, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt, of which there are none; of an error that is the client's the log has no traceback.

        Raises:
            MCPError: there is no such prompt.
        """
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:
            raise MCPError(INVALID_PARAMS, _one_line(str(error))) from error


@asynccontextmanager
async def _nothing_printed_later(_: MCPServer[None]) -> AsyncIterator[None]:
    """Write out what was printed while standard output stands for standard error, which the SDK ends after this."""
    try:
        yield
    finally:
        sys.stdout.flush()


@dataclass(frozen=True)
class ArchiveTools:
    """What the tools do.

    Attributes:
        engine: searches for all of them.
    """

    engine: SearchEngine

    @with_filters
    async def search(
        self,
        query: Query,
        limit: Limit = 10,
        mode: Mode = DEFAULT_MODE,
        time_words: TimeWords = True,  # noqa: FBT002 - a parameter of the tool, which clients name
        **filters: Any,
    ) -> dict[str, Any]:
        """Find pages (an exchange of a dialogue, or a page of a document), best first, one per question."""
        results = await self.engine.search(query, limit, mode, filters=SearchFilters(**filters), time_words=time_words)
        return {
            "notice": NOTICE,
            "results": [{**result, **self._link(result)} for result in results],
            "degraded": results.degraded,
            "notes": list(results.notes),
        }

    @with_filters
    async def context(
        self,
        query: Query,
        max_tokens: MaxTokens = 4_000,
        max_sources: MaxSources = 10,
        mode: Mode = DEFAULT_MODE,
        time_words: TimeWords = True,  # noqa: FBT002
        **filters: Any,
    ) -> dict[str, Any]:
        """Get the texts that answer a question, under headers `[Document n: title, Page p]`; cite them as [n]."""
        budget = Budget(max_tokens, max_sources)
        built = await build_context(
            self.engine, query, budget, SearchFilters(**filters), mode=mode, time_words=time_words
        )
        answer = built.to_dict()
        for number, cited in enumerate(answer["sources"], start=1):
            del cited["markdown_content"]  # it is in formatted_text
            answer["sources"][number - 1] = {"citation": number, **cited, **self._link(cited)}
        return {"notice": NOTICE, **answer}

    async def get_dialogue(
        self,
        key_or_id: KeyOrId,
        first_page: FirstPage = 1,
        max_pages: MaxPages = 20,
        first_character: FirstCharacter = 1,
        max_characters: MaxCharacters = 40_000,
    ) -> dict[str, Any]:
        """Read pages of a dialogue or document, or one pair in full; `left_out` and `next_page` say how to go on."""
        request, window = ReadRequest(self.engine.database), Window(first_character, max_characters)

        def read() -> ReadPages:
            with request.session() as connection:
                return read_whole_or_pages(
                    connection, key_or_id, first_page=first_page, max_pages=max_pages, window=window
                )

        found = await read_in_thread(request, read)
        return {**_as_dict(found), **self._link({"doc_id": found.doc_id, "page": first_page})}

    def _link(self, page: Mapping[str, Any]) -> dict[str, str]:
        return link(self.engine.settings.browse_url, cited_path(page["doc_id"], page["page"]))


def build_server(archive: Database, settings: Settings, *, may_annotate: bool = False) -> MCPServer[None]:
    """Return the server of an archive; its tools share one search engine and read only.

    Args:
        archive: the database.
        settings: of the archive.
        may_annotate: a tool more sets and removes annotations.
    """
    server = ArchiveServer(
        "llm-archive",
        instructions=_INSTRUCTIONS.format(_ANNOTATING if may_annotate else _READ_ONLY),
        version=version("llm-archive-pipeline"),
        log_level="WARNING",
        lifespan=_nothing_printed_later,
        subscriptions=False,  # to changes of the tools, of which there are none
    )
    tools = ArchiveTools(SearchEngine(archive, settings))
    about = AnnotationTools(archive)
    for tool in (tools.search, tools.context, tools.get_dialogue, about.get_annotations):
        server.add_tool(tool, description=f"{tool.__doc__} {NOTICE}", annotations=_READING)
    if may_annotate:
        server.add_tool(about.annotate, description=f"{about.annotate.__doc__} {NOTICE}", annotations=_WRITING)
    return server


def serve_stdio(server: MCPServer[None]) -> None:
    """Serve one client on standard input and output until it closes them.

    What anything else prints meanwhile goes to standard error, which is the SDK's doing.
    """
    server.run("stdio")


def serve_http(server: MCPServer[None], port: int) -> None:
    """Serve this user's clients over streamable HTTP at ``/mcp``; requests of other host names are refused."""
    app = server.streamable_http_app(stateless_http=True, json_response=True)
    # Without uvicorn's own logging, which writes to standard output.
    uvicorn.run(OwnPeersOnly(EndsWithClient(app)), host="127.0.0.1", port=port, log_config=None)


def _as_dict(read: ReadPages) -> dict[str, Any]:
    return {
        "notice": NOTICE,
        "doc_id": read.doc_id,
        "title": read.title,
        "source": read.source,
        "created_at": read.created_at.isoformat() if read.created_at else None,
        "page_count": read.page_count,
        "pages": [asdict(page) for page in read.pages],
        "left_out": read.left_out,
        "next_page": read.next_page,
    }


def _message(error: BaseException) -> str:
    """Return the message for the client; the log has an unexpected error with its traceback."""
    if isinstance(error, ArchiveError | ToolError):
        return str(error)
    if isinstance(error, ValidationError):
        return "; ".join(_argument_error(item) for item in error.errors(include_url=False))
    if is_unavailable(error):
        return f"the database failed ({reason_of(error)}); ask again"
    _log.error("a tool failed", exc_info=error)
    return f"internal error ({type(error).__name__}); the server's log has more"


def _argument_error(item: Mapping[str, Any]) -> str:
    return f"{'.'.join(map(str, item['loc']))}: {item['msg']}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
