"""Building derived rows in chunks, which an executor has computed and written.

Here their results are added up: what is built, what failed, how far it is, and when to stop.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Final

from archive_pipeline.building.chunks import BuildTask, ChunkResult
from archive_pipeline.building.executors.executor import Executor
from archive_pipeline.building.source import Ref, Source
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.errors import NothingCanBeBuiltError
from archive_pipeline.settings import Settings

# So many that fail, and none that does not, are no accident of the data: a build stops instead of emptying its table.
MOST_FAILURES_WITHOUT_SUCCESS: Final = 50


@dataclass(frozen=True)
class BuildResult:
    """What a build did.

    Attributes:
        rows: rows written per table.
        built: how many dialogues or documents were built.
        size: the messages or pages of these.
        failures: per dialogue or document that could not be built, its id and the error.
        seconds: wall time, and of chunks that workers had begun before they were asked for, each one's share of that.
    """

    rows: Counter[str]
    built: int = 0
    size: int = 0
    failures: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def build(
    executor: Executor,
    settings: Settings,
    source: Source[Ref, Any],
    asset: str,
    chunks: Sequence[Sequence[Ref]],
    *,
    progress: Progress = no_progress,
) -> BuildResult:
    """Build one asset for the given items and record what its rows were built from.

    Each chunk is one transaction, so an interrupted build keeps the chunks that were done. Items that fail by
    themselves, when they are read, computed, encoded or written, are set aside (`Source.set_aside`).

    Args:
        executor: where chunks are computed and written.
        settings: how to build.
        source: the description of the items.
        asset: the name of what to build.
        chunks: the items to build it for, as `Source.chunks` splits them.
        progress: told of messages or pages by the asset's name, after each chunk.

    Raises:
        NothingCanBeBuiltError: too many items failed, and none did not.
        Exception: what is no item's own fault (`is_systemic`).
    """
    started = time.perf_counter()
    tasks = build_tasks(settings, source, asset, chunks)
    totals = _Totals(source, asset)
    ahead, done, total = 0.0, 0, sum(task.size for task in tasks)
    progress(asset, done, total)
    while tasks:
        given_up: list[BuildTask] = []
        with closing(executor.map_batches(tasks)) as results:
            for task, result in results:
                totals.add(task, result)
                if result.gave_up:
                    given_up.append(replace(task, patience=None))  # others were built, so it is its items' fault
                else:
                    done += task.size
                    progress(asset, done, total)
        ahead += executor.seconds_ahead
        tasks = given_up
    seconds = time.perf_counter() - started + ahead
    return BuildResult(totals.rows, totals.built, totals.size, totals.failures, seconds)


def build_tasks(
    settings: Settings, source: Source[Ref, Any], asset: str, chunks: Sequence[Sequence[Ref]]
) -> list[BuildTask]:
    """Return what `build` has done first, one task for each chunk."""
    version = effective_version(asset, settings)
    patience = MOST_FAILURES_WITHOUT_SUCCESS
    return [BuildTask(source.noun, asset, version, settings, tuple(chunk), patience) for chunk in chunks]


class _Totals:
    """What the chunks of an asset came to."""

    def __init__(self, source: Source[Any, Any], asset: str) -> None:
        self.rows: Counter[str] = Counter(dict.fromkeys(source.assets[asset].tables, 0))
        self.built = self.size = 0
        self.failures: dict[str, str] = {}
        self._source = source

    def add(self, task: BuildTask, result: ChunkResult) -> None:
        """Add what came of a chunk.

        Raises:
            NothingCanBeBuiltError: too many items failed, and none did not.
        """
        self.built += result.built
        self.size += result.size
        self.rows.update(result.rows)
        failed = len(self.failures) + len(result.failures)
        if not self.built and failed >= MOST_FAILURES_WITHOUT_SUCCESS:
            last, error = list(result.failures.items())[-1]
            label = next(self._source.label(item) for item in task.items if item.id == last)
            raise NothingCanBeBuiltError(
                f"{failed} {self._source.noun} were tried one by one and none could be built, "
                f"the last one ({label}) because of {error.splitlines()[0]}. "
                "That is hardly their own fault; the build stops here"
            )
        if not result.gave_up:
            self.failures |= result.failures
