"""Reading the dialogues of an export: once for what is written, and before that once for the answers that it keeps."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from archive_pipeline.export.choices import Choices
from archive_pipeline.export.duplicates import KeptAnswers
from archive_pipeline.export.formats.base import Format, Run
from archive_pipeline.export.selection import Group, ReadBatch, read_batches
from archive_pipeline.export.speed import collection_paused, read_ahead, threads_alternating
from archive_pipeline.store.snapshot import Snapshot


@contextmanager
def exported_batches(snapshot: Snapshot, format_: Format, choices: Choices) -> Iterator[Iterator[ReadBatch]]:
    """Yield the batches of an export, read ahead."""
    found = read_batches(
        snapshot,
        choices,
        query=format_.query,
        with_files=format_.has_attached,
        with_tools=format_.lines is not None,
    )
    with closing(read_ahead(found)) as batches, collection_paused(), threads_alternating():
        yield batches


def kept_answers(snapshot: Snapshot, format_: Format, choices: Choices) -> KeptAnswers:
    """Return which answers the export keeps, of all that it would have."""
    run = Run(choices, kept=KeptAnswers(is_offering=True))
    with exported_batches(snapshot, format_, choices) as batches:
        for batch in batches:
            _offer(format_, batch.group(choices), run)
    return replace(run.kept, is_offering=False)


def _offer(format_: Format, group: Group, run: Run) -> None:
    """Let a format offer its answers: it makes no example meanwhile."""
    if format_.tables is not None:
        deque(format_.tables(group, run), maxlen=0)
    for make in (format_.lines, format_.files):
        if make is not None:
            for dialogue in group.dialogues:
                deque(make(dialogue, group, run), maxlen=0)
