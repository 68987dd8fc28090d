"""``llm-archive mcp``: the archive for assistants, by the Model Context Protocol."""

from __future__ import annotations

import click


@click.command()
@click.option(
    "--http", "port", type=click.IntRange(1, 65_535), metavar="PORT", help="Listen on 127.0.0.1:PORT, path /mcp."
)
@click.option(
    "--annotate", "may_annotate", is_flag=True, help="Let the assistant set and remove tags, notes and choices, too."
)
def mcp(*, port: int | None, may_annotate: bool) -> None:
    """Let an assistant search and read the archive (MCP, on standard input and output)."""
    from archive_pipeline.cli.mcp import run

    run(port=port, may_annotate=may_annotate)
