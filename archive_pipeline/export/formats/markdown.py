"""``markdown``: a file per dialogue, in a folder per source; the folder opens as a vault of Obsidian."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from archive_pipeline.export.attached import exported_name, kept, linked_files, redacted_files
from archive_pipeline.export.chat import HIDDEN
from archive_pipeline.export.formats.base import Format, Run
from archive_pipeline.export.markdown import dialogue_markdown, file_name
from archive_pipeline.export.selection import Group
from archive_pipeline.retrieval.reading.attached_files import AttachedContent
from archive_pipeline.retrieval.reading.dialogues import Dialogue


def _files(dialogue: Dialogue, group: Group, run: Run) -> Iterator[tuple[str, bytes | AttachedContent]]:
    tags = group.annotations.tags.get(dialogue.heading.dialogue_id, ())
    attached = {message.id: group.files[message.id] for message in dialogue.messages if message.id in group.files}
    contents, name = kept(chain(*attached.values())), file_name(dialogue)
    if hidden := sum(message.is_hidden for message in dialogue.messages):
        run.left_out[HIDDEN] += hidden
    if run.choices.redact:
        if contents:
            run.left_out["attached files, which cannot be redacted"] += len(contents)
        yield name, dialogue_markdown(dialogue, tags, redacted_files(attached, run.redact)).encode()
        return
    yield name, dialogue_markdown(dialogue, tags, linked_files(attached, name)).encode()
    yield from ((exported_name(content), content) for content in contents)


MARKDOWN: Final = Format(
    "markdown",
    "A Markdown file per dialogue with front matter and branches, attached files beside them; opens in Obsidian",
    "files",
    frozenset(),
    files=_files,
    has_attached=True,
)
