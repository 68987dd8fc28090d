"""``llm-archive mcp``: the archive for assistants, by the Model Context Protocol."""

from __future__ import annotations

import logging

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.listening import check_port
from archive_pipeline.domain.optional import import_optional
from archive_pipeline.store.server.embedded import restart_when_gone


def run(*, port: int | None, may_annotate: bool) -> None:
    """Serve the archive until the assistant leaves."""
    import_optional("mcp.server.mcpserver", extra="mcp", purpose="the MCP server")
    # The extra may be missing, and the rest of the command line does without it.
    from archive_pipeline.mcp_server.server import build_server, serve_http, serve_stdio  # noqa: PLC0415

    if port is not None:
        check_port("127.0.0.1", port, "--http")
    # Standard error, in plain lines; the SDK would set up boxes as wide as a terminal.
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    with open_archive() as archive:
        if archive.settings.database_url is None:
            restart_when_gone(archive.database.engine, archive.settings.postgres_folder)
        server = build_server(archive.database, archive.settings, may_annotate=may_annotate)
        if port is None:
            serve_stdio(server)
        else:
            serve_http(server, port)
