"""``llm-archive context``: cited sources for a prompt, within a budget of tokens."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import click

from archive_pipeline.chroma_client import ChromaClient
from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.output import json_option, note, print_json
from archive_pipeline.cli.search_options import filter_options, filters_of, mode_option, tell_how_it_went
from archive_pipeline.cli.text import TEXT
from archive_pipeline.context.documents import ResearchContext
from archive_pipeline.context_builder import ContextBuilder
from archive_pipeline.filtered_search import FilteredSearch
from archive_pipeline.search_engine import SearchEngine


@click.command()
@click.argument("text", type=TEXT, metavar="TEXT")
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    metavar="N",
    help="Most tokens of the context, headers included.",
)
@click.option(
    "--max-sources",
    type=click.IntRange(1, 1_000),
    default=10,
    show_default=True,
    metavar="N",
    help="Most sources.",
)
@mode_option
@filter_options
@json_option
def context(text: str, max_tokens: int, max_sources: int, mode: str, *, as_json: bool, **filters: Any) -> None:
    """Print sources on TEXT, numbered for citing, to be given to an LLM; needs `llm-archive index`.

    The context is all that standard output gets; what its numbers stand for is said on standard error.
    """
    chosen = filters_of(filters)
    with open_archive() as archive:
        client = ChromaClient(archive.database, archive.settings)
        search = FilteredSearch(SearchEngine(archive.database, archive.settings, client), chosen, mode)
        builder = ContextBuilder(search, client, max_sources, max_tokens)
        found = asyncio.run(builder.build_context(text, num_results=max_sources))
    if search.results is not None:
        tell_how_it_went(search.results)
    if as_json:
        print_json({**found.to_dict(), "degraded": search.results.degraded if search.results else {}})
        return
    if found.formatted_text:
        click.echo(found.formatted_text)
    _tell(found)


def _tell(found: ResearchContext) -> None:
    for number, source in found.get_citation_map().items():
        shortened = ", shortened" if source.content_truncated else ""
        note(f"[{number}] {source.filename}, page {source.page} ({source.doc_id}){shortened}")
    sources = "1 source" if len(found.sources) == 1 else f"{len(found.sources)} sources"
    note(f"{sources}, {found.total_tokens:,} tokens ({found.token_counter})")
    for reason, count in Counter(item.reason for item in found.skipped).items():
        note(f"{count} results left out: {reason.replace('_', ' ')}")
