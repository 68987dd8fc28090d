"""Progress bars: bytes read, then messages per derived table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TransferSpeedColumn,
)

from archive_pipeline.building import Progress as BuildProgress
from archive_pipeline.cli.output import stderr_console
from archive_pipeline.readers.reading import ArchiveReading, FileReading


@contextmanager
def reading_progress(reading: ArchiveReading, *, enabled: bool) -> Iterator[Callable[[FileReading], None]]:
    """Show how many bytes of the files were read; yields the callback of the importer."""
    columns = (
        TextColumn("{task.description:<20}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=stderr_console(), disable=not enabled) as bars:
        task = bars.add_task("reading", total=reading.total_bytes or 1)

        def show(_file: FileReading) -> None:
            bars.update(task, completed=sum(file.bytes_read for file in reading))

        yield show
        bars.update(task, completed=reading.total_bytes or 1)


@contextmanager
def building_progress(messages: Mapping[str, int], *, enabled: bool) -> Iterator[BuildProgress]:
    """Show messages per asset; ``messages`` has the assets to build, each with its number of messages."""
    columns = (TextColumn("{task.description:<20}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr_console(), disable=not enabled) as bars:
        tasks: dict[str, TaskID] = {
            asset: bars.add_task(asset, total=max(total, 1), start=False) for asset, total in messages.items()
        }

        def show(asset: str, built: int) -> None:
            bars.start_task(tasks[asset])
            bars.advance(tasks[asset], built)

        yield show
        for asset, task in tasks.items():
            bars.update(task, completed=max(messages[asset], 1))
