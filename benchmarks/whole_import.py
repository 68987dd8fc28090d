"""``llm-archive import`` of a whole export, all tables included: its rates, its memory, and the size of the archive.

    python -m benchmarks.whole_import [--dialogues 5000] [--short [MESSAGES]]

Runs the command in a process of its own on an archive in a temporary folder, and adds up, several times a second, the
memory of the processes that are ours and of PostgreSQL's: the private part of each, and its share of what it has in
common with others (PSS). The last lines are the rates that ``doctor`` estimates with
(``archive_pipeline.ingest.estimates``).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

import psutil

from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.server.embedded import release
from benchmarks.corpus import write_corpus

_PAUSE: Final = 0.2
_SERVER: Final = "PostgreSQL"
_SIZES: Final = """
    SELECT pg_database_size(current_database()), (SELECT count(*) FROM raw.messages), (
        SELECT extract(epoch FROM max(finished_at) - min(started_at))::float FROM raw.imports
    )
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dialogues", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--short", nargs="?", type=int, const=200, metavar="MESSAGES", help="in each dialogue, of a few words; 200"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="archive-bench-") as folder:
        path = Path(folder) / "conversations.json"
        if arguments.short:
            write_short(path, dialogues=arguments.dialogues, messages=arguments.short)
        else:
            write_corpus(path, dialogues=arguments.dialogues, seed=arguments.seed)
        settings = Settings(home=Path(folder) / "home")
        try:
            peaks, seconds = _measured(path, settings.home)
            _report(path, settings, peaks, seconds)
        finally:
            release(settings.postgres_folder)


def write_short(path: Path, *, dialogues: int, messages: int) -> None:
    """Write an export of dialogues of so many messages of a few words each."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(dialogues):
            file.write("," if number else "[")
            json.dump(_short_dialogue(number, messages), file)
        file.write("]")


def _short_dialogue(number: int, messages: int) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for position in range(messages):
        key = f"{number:08x}-{position:04x}"
        mapping[key] = {
            "id": key,
            "parent": f"{number:08x}-{position - 1:04x}" if position else None,
            "children": [f"{number:08x}-{position + 1:04x}"] if position < messages - 1 else [],
            "message": {
                "id": key,
                "author": {"role": "assistant" if position % 2 else "user", "metadata": {}},
                "create_time": 1.7e9 + number * 1_000 + position,
                "content": {"content_type": "text", "parts": [f"Number {number * messages + position} is said now."]},
                "status": "finished_successfully",
                "weight": 1.0,
                "recipient": "all",
                "metadata": {},
            },
        }
    return {
        "id": f"d{number}",
        "conversation_id": f"d{number}",
        "title": f"Dialogue {number}",
        "create_time": 1.7e9 + number,
        "update_time": 1.7e9 + number,
        "mapping": mapping,
        "current_node": f"{number:08x}-{messages - 1:04x}",
    }


def _measured(path: Path, home: Path) -> tuple[Counter[str], float]:
    """Run the import; return the peak memory of each kind of process, in bytes, and the seconds it took."""
    command = [str(Path(sys.executable).with_name("llm-archive")), "import", str(path), "--json"]
    started = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, "ARCHIVE_HOME": str(home)}, stdout=subprocess.DEVNULL)  # noqa: S603
    peaks: Counter[str] = Counter()
    pause = threading.Event()
    while process.poll() is None:
        peaks |= _memory(process.pid, home)
        pause.wait(_PAUSE)
    if process.returncode:
        raise SystemExit(f"the import ended with {process.returncode}")
    return peaks, time.perf_counter() - started


def _memory(parent: int, home: Path) -> Counter[str]:
    now: Counter[str] = Counter()
    for process in psutil.process_iter():
        try:
            kind = _kind_of(process, parent, home)
            if kind is not None:
                now[kind] += process.memory_full_info().pss
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    now["ours"] = now.total() - now[_SERVER]
    return now


def _kind_of(process: psutil.Process, parent: int, home: Path) -> str | None:
    """Return what a process is of the import that is measured, None if it is none of its processes."""
    if process.name().startswith("postgres"):
        is_own = any(str(home) in ancestor.cwd() for ancestor in (process, *process.parents()[:1]))
        return _SERVER if is_own else None
    if process.pid == parent:
        return "import"
    return "its child processes" if any(each.pid == parent for each in process.parents()) else None


def _report(path: Path, settings: Settings, peaks: Counter[str], seconds: float) -> None:
    database = Database.open(settings)
    with database.session() as connection:
        [(grown, messages, imported)] = connection.execute(_SIZES).fetchall()
    database.engine.dispose()
    size = sum(file.size for file in read_paths([path]).files)
    print(f"{messages:,} messages, {size / 1e6:,.1f} MB; {seconds:,.1f} seconds, {messages / seconds:,.0f} a second")
    for name, peak in sorted(peaks.items()):
        print(f"peak of {name}: {peak / 2**20:,.0f} MiB")
    print(f"bytes of JSON a second into raw: {size / imported:,.0f}")
    print(f"messages a second into all derived tables: {messages / (seconds - imported):,.0f}")
    print(f"bytes of the database a message: {grown / messages:,.0f}")


if __name__ == "__main__":
    main()
