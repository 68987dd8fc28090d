"""``llm-archive ask``: an answer from the archive, with citations."""

from __future__ import annotations

import asyncio
from typing import Any

from archive_pipeline.answering import Answer, ask, open_model
from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.citations import cited
from archive_pipeline.cli.output import EXIT_REJECTED, note, print_json, print_piece, print_text
from archive_pipeline.cli.search_options import filters_of
from archive_pipeline.cli.search_warnings import print_warnings
from archive_pipeline.domain.counted import counted
from archive_pipeline.retrieval.context.archive import Budget
from archive_pipeline.retrieval.search.engine import SearchEngine


def run(
    question: str,
    max_tokens: int,
    max_sources: int,
    mode: str,
    *,
    time_words: bool,
    as_json: bool,
    filters: dict[str, Any],
) -> int:
    """Print the answer as it comes, then its sources; return the exit code."""
    chosen = filters_of(filters)
    with open_archive() as archive:
        engine = SearchEngine(archive.database, archive.settings)
        answer = asyncio.run(
            ask(
                engine,
                question,
                Budget(max_tokens, max_sources),
                chosen,
                mode=mode,
                time_words=time_words,
                model=open_model(archive.settings),
                on_text=None if as_json else print_piece,
            )
        )
    if as_json:
        print_json(answer.to_dict())
    elif answer.answer:
        _print_sources(answer)
    _tell(answer)
    return EXIT_REJECTED if answer.incomplete is not None else 0


def _print_sources(answer: Answer) -> None:
    """Print what the citations stand for: an answer without that is of no use."""
    print_piece("\n" if answer.answer.endswith("\n") else "\n\n")
    sources = answer.context.get_citation_map()
    for number in answer.citations.known or sources:
        print_text(cited(number, sources[number], answer.built.results))


def _tell(answer: Answer) -> None:
    """Say on standard error what there is to know of the answer."""
    print_warnings(answer.built.results)
    if answer.why_unasked is not None:
        note(answer.why_unasked)
        return
    for warning in answer.warnings:
        note(warning)
    sources = counted(len(answer.context.sources), "source")
    note(f"{answer.model}, {sources}, {answer.context.total_tokens:,} tokens ({answer.context.token_counter})")
    if answer.context.truncated:
        note("the budget left sources out or shortened one; --max-tokens has more of them")
