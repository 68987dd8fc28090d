"""What the UI shows of a dialogue's partition: its title, its counts, and its tree as a drawing.

Of a dialogue that is built alone much of the tree is drawn, of one in a range the first lines: every partition has an
event of its own, and a hundred thousand of them must stay small.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import dagster as dg

from archive_pipeline.building.dialogue_views import COUNTS, DialogueView, make_views
from archive_pipeline.derive.tree_drawing import MOST_LINES, OTHER, PRIMARY
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.domain.identity import partition_key
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.staleness import DialogueRef
from archive_pipeline.text.dialogue_names import UNTITLED, dialogue_name
from archive_pipeline.text.shown_names import as_name
from archive_pipeline.web.browse_links import dialogue_path, link

LINES_IN_RANGE: Final = 12
MOST_TITLE: Final = 200

# The dialogue that started a subagent is always the same. Which subagents a dialogue started is not shown: when another
# one comes, nothing of that dialogue is built.
NAMES: Final = ("title", "source_id", "subagent_of", "began", *COUNTS, "tree")

Shown = dict[str, dg.MetadataValue[Any]]


def dialogue_metadata(archive: Archive, dialogues: Sequence[DialogueRef], *, is_alone: bool) -> dict[str, Shown]:
    """Return per partition key what is shown of its dialogue; nothing of shards.

    Args:
        archive: with the executor that has built them, and the batches that were read.
        dialogues: what to show.
        is_alone: nothing else is built in the run, so more of the tree is drawn.
    """
    keys = {dialogue.id: dialogue.partition_key for dialogue in dialogues}
    if archive.settings.partitioning is not Partitioning.PER_DIALOGUE or not keys:
        return {}
    headings = dialogue_headings(archive.database, list(keys))
    lines = MOST_LINES if is_alone else LINES_IN_RANGE
    views = make_views(archive.database, dialogues, cache=archive.cache, executor=archive.executor, max_lines=lines)
    return {
        keys[view.dialogue_id]: {**headings[view.dialogue_id], **_shown(view)}
        for view in views
        if view.dialogue_id in headings
    }


def browse_link(settings: Settings, partition_key: str) -> Shown:
    """Return the link to the dialogue in ``llm-archive browse``, if that has an address."""
    found = link(settings.browse_url, dialogue_path(partition_key))
    return {"read": dg.MetadataValue.url(found["url"])} if found else {}


def dialogue_headings(database: Database, dialogue_ids: Sequence[str]) -> dict[str, Shown]:
    """Return by id what some dialogues are known by."""
    with database.session() as connection:
        rows = connection.execute(load_query("pages/dialogue_headings"), {"ids": dialogue_ids}).fetchall()
    return {dialogue_id: _heading(*heading) for dialogue_id, *heading in rows}


def _heading(
    title: str | None, first_prompt: str | None, source: str, source_id: str, parent: str | None, began: Any
) -> Shown:
    return {
        "title": dg.MetadataValue.text(one_line(dialogue_name(title, first_prompt))),
        "source_id": dg.MetadataValue.text(f"{source}: {source_id}"),
        **({"subagent_of": dg.MetadataValue.text(partition_key(source, parent))} if parent else {}),
        **({"began": dg.MetadataValue.timestamp(began)} if began else {}),
    }


def _shown(view: DialogueView) -> Shown:
    shown: Shown = dict(zip(COUNTS, map(_number, view.counts), strict=True))
    if view.drawing is not None:
        shown["tree"] = dg.MetadataValue.md(_as_markdown(view.drawing))
    return shown


@lru_cache(maxsize=1_000)
def _number(count: int) -> dg.MetadataValue[Any]:
    """Return a number as metadata: most dialogues have the same few."""
    return dg.MetadataValue.int(count)


def _as_markdown(drawing: str) -> str:
    """Return the drawing in a code block, so that it keeps its shape and nothing in it is Markdown."""
    return f"```text\n{drawing}\n```\n\n{PRIMARY} primary path, {OTHER} other branches"


def one_line(title: str) -> str:
    """Return a title as one line of bounded length."""
    line = " ".join(as_name(title).split()) or UNTITLED
    return line if len(line) <= MOST_TITLE else line[: MOST_TITLE - 1].rstrip() + "…"
