"""``llm-archive search``: pages of dialogues and documents by meaning and by words."""

from __future__ import annotations

import re
from typing import Any

from rich.padding import Padding
from rich.text import Text

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.output import note, one_line, print_json, stdout_console
from archive_pipeline.cli.search_options import filters_of
from archive_pipeline.cli.search_warnings import print_warnings
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.query import parse_query
from archive_pipeline.retrieval.search.results import SearchResults, result_date, result_name
from archive_pipeline.retrieval.search.snippets import word_pattern
from archive_pipeline.text.dialogue_names import dialogue_name
from archive_pipeline.text.plain_markdown import plain_line


def run(text: str, limit: int, mode: str, *, time_words: bool, as_json: bool, filters: dict[str, Any]) -> None:
    """Search and print what was found."""
    chosen = filters_of(filters)
    with open_archive() as archive:
        engine = SearchEngine(archive.database, archive.settings)
        results = engine.search_now(text, limit, mode, filters=chosen, time_words=time_words)
    print_warnings(results)
    if as_json:
        print_json(list(results))
    elif results:
        _print(text, results)
    else:
        note("nothing was found")


def _print(query: str, results: SearchResults) -> None:
    console = stdout_console()
    words = word_pattern(parse_query(query).also(results.respelt.values()).wanted)
    for number, result in enumerate(results, start=1):
        console.print(_heading(number, result))
        console.print(Padding(_marked(result["snippet"], words), (0, 0, 0, 4)))
        if result["answer"] is not None:
            console.print(Padding(Text("→ ", style="dim") + _marked(result["answer"], words), (0, 0, 0, 4)))
        console.print(Padding(Text(_scores(result), style="dim"), (0, 0, 1, 4)))


def _marked(text: str, words: re.Pattern[str] | None) -> Text:
    marked = Text(one_line(plain_line(text)))
    if words is not None:
        marked.highlight_regex(words, "bold yellow")
    return marked


def _heading(number: int, result: dict[str, Any]) -> Text:
    metadata = result["metadata"]
    model = metadata["model"] if metadata["role"] == "assistant" else None
    told = [metadata["source"], metadata["role"], model, result_date(metadata)]
    heading = Text(f"{number:>2}  ")
    heading.append(one_line(result_name(result)), style="bold")
    heading.append(f", page {result['page']}")
    heading.append(f"  {' · '.join(one_line(part) for part in told if part)}", style="dim")
    if result["is_abandoned_branch"]:
        heading.append("  abandoned branch", style="red")
    return heading


def _scores(result: dict[str, Any]) -> str:
    ranks = result["ranks"]
    scores = ", ".join(f"{name} {score:.2f} (no. {ranks[name]})" for name, score in result["scores"].items())
    others = len(result["alternatives"])
    key = one_line(result["metadata"]["partition_key"] or result["doc_id"])
    told = f"score {result['score']:.2f}: {scores}; {key}"
    for origin in result["metadata"]["came_with"][:1]:
        name = dialogue_name(origin["title"], origin["first_prompt"])
        told += f"; came with {one_line(name)}, {one_line(origin['partition_key'])}"
    more = f"{others} more page{'s' if others > 1 else ''} with the question, the task or a copy"
    return f"{told}; {more}" if others else told
