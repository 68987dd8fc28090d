"""Building the derived assets of dialogues.

Called by the Dagster assets and, without Dagster, by tests and benchmarks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import zip_longest

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.engine import BuildResult, build, build_tasks
from archive_pipeline.building.executors.executor import Executor
from archive_pipeline.building.executors.opening import executor_for, open_executor
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.later_indexes import indexes_made_later
from archive_pipeline.store.staleness import DialogueRef, stale_dialogues


def build_asset(
    database: Database,
    settings: Settings,
    name: str,
    dialogues: Sequence[DialogueRef],
    *,
    cache: BatchCache | None = None,
    executor: Executor | None = None,
    progress: Progress = no_progress,
) -> BuildResult:
    """Build one asset for the given dialogues.

    Args:
        database: the archive.
        settings: how to build.
        name: the asset.
        dialogues: what to build.
        cache: shared by the assets of one run: it has measured their texts.
        executor: where chunks are computed and written; by default one of the settings, for this build alone.
        progress: told of messages by the asset's name.

    Raises:
        NothingCanBeBuiltError: too many dialogues failed, and none did not.
        Exception: what is no dialogue's own fault (`is_systemic`).
    """
    cache = BatchCache() if cache is None else cache
    chunks = list(cache.chunks(database, dialogues))
    with executor_for(database, settings, executor, cache) as used:
        return build(used, settings, DIALOGUES, name, chunks, progress=progress)


def expect_asset(
    database: Database,
    settings: Settings,
    name: str,
    dialogues: Sequence[DialogueRef],
    *,
    cache: BatchCache,
    executor: Executor,
) -> None:
    """Let the executor begin the build of an asset while the one before it ends: `build_asset` follows for the same."""
    executor.expect(build_tasks(settings, DIALOGUES, name, list(cache.chunks(database, dialogues))))


def build_stale(database: Database, settings: Settings, *, progress: Progress = no_progress) -> dict[str, BuildResult]:
    """Build whatever is stale of every asset, without Dagster; parents before children."""
    cache = BatchCache()
    results: dict[str, BuildResult] = {}

    def stale(name: str) -> Sequence[DialogueRef]:
        with database.session() as connection:
            return stale_dialogues(connection, name, effective_version(name, settings))

    with indexes_made_later(database) as written, open_executor(database, settings, cache) as executor:
        build = partial(build_asset, database, settings, cache=cache, executor=executor, progress=progress)
        names = list(ASSETS)
        following = stale(names[0])
        for name, next_name in zip_longest(names, names[1:]):
            dialogues = following
            if next_name is not None:
                following = stale(next_name)
                expect_asset(database, settings, next_name, following, cache=cache, executor=executor)
            results[name] = build(name, dialogues)
            written(ASSETS[name].tables)
    return results
