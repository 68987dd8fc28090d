"""``markdown``: a file per dialogue, in a folder per source; the folder opens as a vault of Obsidian."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from archive_pipeline.export.formats.base import Format, Run
from archive_pipeline.export.markdown import dialogue_markdown, file_name
from archive_pipeline.export.selection import Group
from archive_pipeline.retrieval.reading.dialogues import Dialogue


def _files(dialogue: Dialogue, group: Group, _run: Run) -> Iterator[tuple[str, bytes]]:
    tags = group.annotations.tags.get(dialogue.heading.dialogue_id, ())
    yield file_name(dialogue), dialogue_markdown(dialogue, tags).encode()


MARKDOWN: Final = Format(
    "markdown",
    "A Markdown file per dialogue with front matter and branches; opens in Obsidian",
    "files",
    frozenset(),
    files=_files,
)
