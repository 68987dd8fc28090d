"""``llm-archive list``: the dialogues of the archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from rich.text import Text

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.output import note, one_line, print_json, stdout_console
from archive_pipeline.domain.choices import DialogueSort
from archive_pipeline.domain.counted import counted
from archive_pipeline.retrieval.search.nothing import no_dialogue
from archive_pipeline.store.dialogue_list import ListedDialogue, ListFilters, list_dialogues, sources_of_dialogues
from archive_pipeline.store.reading import ReadRequest

# Of what is below the day.
_INDENT: Final = 12


def run(sort: DialogueSort, limit: int, *, as_json: bool, filters: Mapping[str, Any]) -> None:
    """Print the dialogues that meet the filters, named as the fields of ``ListFilters``."""
    with open_archive() as archive, ReadRequest(archive.database).session() as connection:
        found = list_dialogues(connection, ListFilters(**filters), sort, limit + 1)
        reasons = [] if found else no_dialogue(filters, is_empty=not sources_of_dialogues(connection))
    listed = found[:limit]
    if as_json:
        print_json([asdict(dialogue) for dialogue in listed])
    elif listed:
        _print(listed)
    for reason in reasons:
        note(reason)
    if len(found) > limit:
        note(f"the first {limit:,}; --limit shows more")


def _print(listed: Sequence[ListedDialogue]) -> None:
    # Two lines a dialogue: a table would cut the key, by which `show` finds it.
    console = stdout_console()
    for dialogue in listed:
        sizes = counted(dialogue.shown_messages, "message")
        if (dialogue.branches or 1) > 1:
            sizes += f", {dialogue.branches:,} branches"
        line = Text(_day(dialogue.updated_at or dialogue.created_at).ljust(_INDENT))
        line.append(one_line(dialogue.name), style="bold")
        console.print(line, soft_wrap=True)
        kind = ["subagent"] if dialogue.is_subagent else []
        told = [*kind, sizes, *dialogue.models, *(f"#{tag}" for tag in dialogue.tags), dialogue.partition_key]
        console.print(Text(" " * _INDENT + " · ".join(map(one_line, told)), style="dim"), soft_wrap=True)


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d}"
