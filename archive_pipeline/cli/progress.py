"""Progress as bars on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from rich import progress as rich_progress

from archive_pipeline.cli.output import stderr_console

_COUNTS: Final = (rich_progress.MofNCompleteColumn,)
_BYTES: Final = (rich_progress.DownloadColumn, rich_progress.TransferSpeedColumn)


class ProgressBars:
    """A bar per stage, shown when the stage begins; those whose totals are given are there from the beginning."""

    def __init__(self, bars: rich_progress.Progress, totals: Mapping[str, int]) -> None:
        """Show the stages of ``totals``, which count over all pieces of a stage, whatever each of them says."""
        self._bars = bars
        self._totals = dict(totals)
        self._tasks = {stage: bars.add_task(stage, total=total, start=False) for stage, total in self._totals.items()}
        if self._tasks:
            bars.start()
        self._earlier: dict[str, int] = {}
        self._done: dict[str, int] = {}

    def __call__(self, stage: str, done: int, total: int, /) -> None:
        """Advance the bar of a stage; a stage with nothing to do has none."""
        if stage not in self._tasks:
            if not total:
                return
            self._tasks[stage] = self._bars.add_task(stage)
            self._bars.start()  # not before there is a bar: no bars are an empty line
        earlier = self._earlier.get(stage, 0)
        if done:
            self._bars.start_task(self._tasks[stage])
        else:
            earlier += self._done.get(stage, 0)
        self._earlier[stage], self._done[stage] = earlier, done
        whole = self._totals.get(stage, earlier + total)
        self._bars.update(self._tasks[stage], completed=earlier + done, total=whole)

    def finish(self) -> None:
        """Fill every bar: what had nothing left to do is done too."""
        for task in self._bars.tasks:
            self._bars.update(task.id, completed=task.total)


@contextmanager
def progress_bars(
    totals: Mapping[str, int] | None = None, *, enabled: bool, are_bytes: bool = False
) -> Iterator[ProgressBars]:
    """Show bars while the block runs.

    Args:
        totals: stages that are shown from the beginning, with their totals.
        enabled: show anything at all.
        are_bytes: amounts are bytes.
    """
    columns = (
        rich_progress.TextColumn("{task.description:<20}"),
        rich_progress.BarColumn(),
        *(column() for column in (_BYTES if are_bytes else _COUNTS)),
        rich_progress.TimeElapsedColumn(),
    )
    bars = rich_progress.Progress(*columns, console=stderr_console(), disable=not enabled)
    try:
        yield ProgressBars(bars, totals or {})
    finally:
        if bars.tasks:
            bars.stop()
