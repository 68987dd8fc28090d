"""``llm-archive context``: cited sources for a prompt, within a budget of tokens."""

from __future__ import annotations

import asyncio
from typing import Any

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.citations import cited
from archive_pipeline.cli.output import note, print_json, print_text
from archive_pipeline.cli.search_options import filters_of
from archive_pipeline.cli.search_warnings import print_warnings
from archive_pipeline.domain.counted import counted
from archive_pipeline.retrieval.context.archive import Budget, build_context
from archive_pipeline.retrieval.context.documents import ResearchContext
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.results import SearchResults


def run(
    text: str,
    max_tokens: int,
    max_sources: int,
    mode: str,
    *,
    time_words: bool,
    as_json: bool,
    filters: dict[str, Any],
) -> None:
    """Build the context and print it."""
    chosen = filters_of(filters)
    budget = Budget(max_tokens, max_sources)
    with open_archive() as archive:
        engine = SearchEngine(archive.database, archive.settings)
        built = asyncio.run(build_context(engine, text, budget, chosen, mode=mode, time_words=time_words))
    print_warnings(built.results)
    if as_json:
        print_json(built.to_dict())
        return
    found = built.context
    if found.formatted_text:
        print_text(found.formatted_text)
    _tell(found, built.results)


def _tell(found: ResearchContext, results: SearchResults) -> None:
    for number, source in found.get_citation_map().items():
        shortened = ", shortened" if source.content_truncated else ""
        note(f"{cited(number, source, results)}{shortened}")
    sources = counted(len(found.sources), "source")
    note(f"{sources}, {found.total_tokens:,} tokens ({found.token_counter})")
    for reason, count in found.left_out.items():
        note(f"{count:,} left out: {reason.replace('_', ' ')}")
