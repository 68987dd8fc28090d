"""What Dagster itself costs per asset and dialogue: the project's storage beside stock dagster-postgres, in turns.

    python -m benchmarks.bookkeeping [--dialogues 1000] [--stock-dialogues 100] [--rounds 3]

Makes an archive of small dialogues on an embedded server of its own and runs `build_derived` over a range of them again
and again, everything built anew each time. Bookkeeping is the time of the whole run, from the request to its end, less
the time in which the project's own code was at work in assets and checks (looking up dialogues, deriving, writing,
checking); what is left is Dagster's, its storage's and PostgreSQL's for it. It is divided by the number of assets times
dialogues, as wall time and as processor time of Python and PostgreSQL, which says more on a busy machine. Stock storage
runs over fewer dialogues, or it would take all day; so the project's is measured over as many, too, since the fixed
part of a run (about half a second) weighs more there.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import dagster as dg
from dagster._core.instance.ref import InstanceRef

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.orchestration.assets import factory
from archive_pipeline.orchestration.checks import structure as checks
from archive_pipeline.orchestration.instance.opening import COMMAND_OVERRIDES, instance_for
from archive_pipeline.orchestration.instance.storage import EVENT_BATCH_SIZE
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.orchestration.partitions.stale_keys import stale_keys
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from benchmarks.corpus import write_corpus
from benchmarks.processor import server_process, tree_seconds

MEAN_MESSAGES: Final = 7
BATCH_VARIABLE: Final = "DAGSTER_EVENT_BATCH_SIZE"
# All that assets and checks call: none of it calls another.
OWN_FUNCTIONS: Final = (
    (factory, "dialogues_of_keys"),
    (factory, "build_asset"),
    (factory, "_shown"),
    (checks, "find_violations"),
)


@dataclass(frozen=True)
class Storage:
    """A way to keep Dagster's records.

    Attributes:
        name: as printed.
        dialogues: how many a run is over.
        batch_size: of Dagster's event batches; empty for none.
        is_stock: dagster-postgres as it is.
    """

    name: str
    dialogues: int
    batch_size: str
    is_stock: bool


class Clock:
    """Wall time, and processor time of this process and of the embedded server."""

    def __init__(self, settings: Settings) -> None:
        self._server = server_process(settings)

    def now(self) -> Times:
        """Return both in seconds since some moment."""
        return Times(time.perf_counter(), time.process_time() + tree_seconds(self._server))


class Times(NamedTuple):
    """Seconds of wall time and of processor time."""

    wall: float
    processor: float

    def minus(self, other: Times) -> Times:
        """Return the differences."""
        return Times(self.wall - other.wall, self.processor - other.processor)


class Stopwatch:
    """Adds up the time spent in functions."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.total = Times(0.0, 0.0)

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with its time taken."""

        def call(*arguments: Any, **named: Any) -> Any:
            started = self._clock.now()
            try:
                return function(*arguments, **named)
            finally:
                spent = self._clock.now().minus(started)
                self.total = Times(self.total.wall + spent.wall, self.total.processor + spent.processor)

        return call


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dialogues", type=int, default=1_000)
    parser.add_argument("--stock-dialogues", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    few = min(arguments.stock_dialogues, arguments.dialogues)
    storages = (
        Storage("project", arguments.dialogues, EVENT_BATCH_SIZE, is_stock=False),
        Storage("project", few, EVENT_BATCH_SIZE, is_stock=False),
        Storage("stock", few, "", is_stock=True),
        Storage("stock, batches", few, EVENT_BATCH_SIZE, is_stock=True),
    )
    with tempfile.TemporaryDirectory(prefix="archive-bench-") as folder:
        settings = Settings(home=Path(folder) / "home")
        try:
            database = Database.open(settings)
            migrate(database)
            path = Path(folder) / "conversations.json"
            write_corpus(path, dialogues=arguments.dialogues, seed=arguments.seed, mean_messages=MEAN_MESSAGES)
            import_archive(database, read_paths([path]))
            _compare(database, settings, storages, arguments.rounds)
            database.engine.dispose()
        finally:
            release(settings.postgres_folder)


def _compare(database: Database, settings: Settings, storages: Sequence[Storage], rounds: int) -> None:
    with database.session() as connection:
        keys = [item.key for item in stale_keys(connection, settings)]
    with instance_for(settings) as instance:
        run_derived(instance, settings, keys)  # Dagster's tables, and every partition's first events
    figures: dict[Storage, list[Times]] = {storage: [] for storage in storages}
    print(f"{'round':<7}{'storage':<16}{'dialogues':>10}{'run s':>9}{'own s':>9}{'ms':>9}{'processor ms':>15}")
    for number in range(1, rounds + 1):
        for storage in storages if number % 2 else reversed(storages):
            whole, own = _run(database, settings, storage, keys[: storage.dialogues])
            pairs = storage.dialogues * len(ASSETS)
            rest = whole.minus(own)
            cost = Times(rest.wall * 1000 / pairs, rest.processor * 1000 / pairs)
            figures[storage].append(cost)
            print(
                f"{number:<7}{storage.name:<16}{storage.dialogues:>10,}{whole.wall:>9.2f}{own.wall:>9.2f}"
                f"{cost.wall:>9.2f}{cost.processor:>15.2f}",
                flush=True,
            )
    print("\nmedians of bookkeeping per asset and dialogue")
    for storage, costs in figures.items():
        wall, processor = (statistics.median(values) for values in zip(*costs, strict=True))
        print(f"{'':<7}{storage.name:<16}{storage.dialogues:>10,}{'':>18}{wall:>9.2f}{processor:>15.2f}")


def _run(database: Database, settings: Settings, storage: Storage, keys: Sequence[str]) -> tuple[Times, Times]:
    """Return the times of a run, and those of the project's own code in it."""
    clock = Clock(settings)
    watch = Stopwatch(clock)
    with _instance(database, settings, storage) as instance, ExitStack() as patches:
        for module, name in OWN_FUNCTIONS:
            patches.enter_context(patch.object(module, name, watch.timed(getattr(module, name))))
        started = clock.now()
        outcome = run_derived(instance, settings, keys, full=True)
        whole = clock.now().minus(started)
    if not outcome.success:
        raise RuntimeError(f"the run failed: {outcome.errors or outcome.failed_checks}")
    return whole, watch.total


@contextmanager
def _instance(database: Database, settings: Settings, storage: Storage) -> Iterator[dg.DagsterInstance]:
    with patch.dict(os.environ, {BATCH_VARIABLE: storage.batch_size or "0"}):
        if not storage.is_stock:
            with instance_for(settings) as instance:
                yield instance
            return
        overrides = {**COMMAND_OVERRIDES, "storage": {"postgres": {"postgres_url": database.dagster_url}}}
        with dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(settings.home), overrides=overrides)) as instance:
            yield instance


if __name__ == "__main__":
    main()
