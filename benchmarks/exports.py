"""What exports take beside a bare ``COPY TO`` of the rows that each format is made of.

Run it with ``python -m benchmarks.exports``, on an archive of its own that is removed. Each format is exported in turns
with its COPY. Both open their connections anew, as a command does. Processor time is of this process and of the
server's, the mean of all rounds; wall time is the best round's, since the machine may have other work.

What is exported stays until the end: ext4 without a journal looks, for each new file, at all files that were removed
from the same part of the disk a moment ago, which takes ten times as long as to write it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Final

import psutil
import psycopg

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.formats.registry import FORMATS
from archive_pipeline.export.run import export
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.counts import count_all_messages
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from benchmarks.corpus import write_corpus
from benchmarks.exported_rows import ROWS
from benchmarks.processor import server_process, tree_seconds

# A backend ends a moment after its connection; its processor time is counted then.
_END_SECONDS: Final = 0.05


@dataclass
class Clock:
    """Times of one action over all rounds, in seconds.

    Attributes:
        server: process of the database server.
        wall, processor: per round.
    """

    server: psutil.Process
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def time(self, action: Callable[[], object]) -> None:
        """Do an action once."""
        of_server = tree_seconds(self.server)
        own, started = time.process_time(), time.perf_counter()
        action()
        self.wall.append(time.perf_counter() - started)
        own = time.process_time() - own
        time.sleep(_END_SECONDS)
        self.processor.append(own + tree_seconds(self.server) - of_server)


def copy_rows(database: Database, name: str, target: Path) -> None:
    """Write the rows of a format to a file as the server sends them."""
    with psycopg.connect(database.url) as connection, target.open("wb") as file, connection.cursor() as cursor:
        for statement in ROWS[name]:
            with cursor.copy(statement) as copy:
                for block in copy:
                    file.write(block)


def export_rows(database: Database, settings: Settings, name: str, target: Path) -> None:
    """Export the archive over connections that are opened for it."""
    export(database, settings, name, target, Choices())
    database.engine.dispose()


def measure(database: Database, settings: Settings, folder: Path, names: Sequence[str], rounds: int) -> None:
    """Print a line per format; the folder is left full."""
    with database.session() as connection:
        messages = count_all_messages(connection)
    server = server_process(settings)
    print(f"{messages:,} messages; seconds of wall and processor, messages a second of wall, processor time by COPY's")
    print(f"{'':10} {'export':>23} {'COPY TO':>23}")
    for name in names:
        copied, exported = Clock(server), Clock(server)
        export_rows(database, settings, name, folder / name)  # what is imported and cached at first
        for number in range(rounds):
            target = folder / f"{name}-{number}"
            copied.time(lambda: copy_rows(database, name, folder / "rows"))  # noqa: B023
            exported.time(lambda: export_rows(database, settings, name, target))  # noqa: B023
        told = [
            f"{min(clock.wall):5.2f} {mean(clock.processor):5.3f} {messages / min(clock.wall):10,.0f}/s"
            for clock in (exported, copied)
        ]
        print(
            f"{name:10} {'  '.join(told)}   {mean(exported.processor) / mean(copied.processor):5.2f} times", flush=True
        )


def main() -> None:
    """Make the archive, measure, and remove it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, default=1_050)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=[*FORMATS])
    parser.add_argument(
        "--out", type=Path, help="where files go, in a folder of their own: in memory, file systems cost least"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="exports-", dir="/tmp") as name:  # a socket's path has to be short
        folder = Path(name)
        settings = Settings(home=folder / "home")
        settings.home.mkdir(mode=0o700)
        write_corpus(folder / "conversations.json", dialogues=options.dialogues, seed=7)
        database = Database.open(settings)
        try:
            migrate(database)
            import_archive(database, read_paths([folder / "conversations.json"]))
            build_stale(database, settings)
            with tempfile.TemporaryDirectory(prefix="exports-", dir=options.out or folder) as written:
                measure(database, settings, Path(written), options.formats, options.rounds)
        finally:
            database.engine.dispose()
            release(settings.postgres_folder)


if __name__ == "__main__":
    main()
