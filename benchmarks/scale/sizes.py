"""Cost per message at several sizes of an archive: import, every derived table, duplicates, index and summary.

    python -m benchmarks.scale.sizes --messages 10000 100000 --executor local --out DIR [--keep] [--room GB]

Each size is an archive of its own, in a process of its own. Its figures are a line of DIR/sizes.jsonl; a size that is
there is not measured again, so the same command goes on after an interruption, and prints everything that was measured
with the executor. Archives are deleted unless ``--keep``. A size for which the disk has no room is refused; with
``--room`` derived tables take that many GB at most, since groups of assets are built and emptied one after the other.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from archive_pipeline.domain.choices import ExecutorKind
from benchmarks.scale.one_size import READ_AGAIN

# The database, its log and a part of the export; and what is left for others.
BYTES_PER_MESSAGE: Final = 25_000
# Imported rows, with indexes.
BYTES_IMPORTED: Final = 2_500
BYTES_LEFT: Final = 10_000_000_000
# Cost per message, relative to the smallest size, above which a step is marked.
LINEAR: Final = 1.3

Size = dict[str, Any]


def main() -> None:
    """Measure what is missing and print everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--executor", type=ExecutorKind, default=ExecutorKind.LOCAL)
    parser.add_argument("--out", type=Path, required=True, help="folder of the figures and, meanwhile, of archives")
    parser.add_argument("--keep", action="store_true", help="leave the archives there")
    parser.add_argument("--room", type=float, metavar="GB", help="for derived tables; by default all stay")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    journal = arguments.out / "sizes.jsonl"
    in_groups = arguments.room is not None
    for messages in sorted(arguments.messages):
        done = recorded(journal, arguments.executor, in_groups=in_groups)
        if not any(size["wanted"] == messages for size in done):
            _measure(journal, messages, arguments.executor, keep=arguments.keep, room=arguments.room)
    print(table(recorded(journal, arguments.executor, in_groups=in_groups)))


def recorded(journal: Path, executor: ExecutorKind, *, in_groups: bool) -> list[Size]:
    """Return what was measured with an executor in that way, the smallest size first."""
    lines = journal.read_text().splitlines() if journal.exists() else []
    found = [size for size in map(json.loads, lines) if size["executor"] == executor and size["in_groups"] is in_groups]
    return sorted(found, key=lambda size: int(size["wanted"]))


def _measure(journal: Path, messages: int, executor: ExecutorKind, *, keep: bool, room: float | None) -> None:
    home = journal.parent / f"{executor}-{messages}"
    shutil.rmtree(home, ignore_errors=True)  # of a run that was interrupted
    needed = messages * BYTES_PER_MESSAGE if room is None else messages * BYTES_IMPORTED + room * 1e9
    needed += BYTES_LEFT
    free = shutil.disk_usage(journal.parent).free
    if free < needed:
        sys.exit(f"{messages:,} messages need {needed / 1e9:.0f} GB of disk, {journal.parent} has {free / 1e9:.0f}")
    command = [sys.executable, "-m", "benchmarks.scale.one_size", "--messages", str(messages)]
    done = subprocess.run(  # noqa: S603 (this interpreter and fixed arguments)
        [*command, "--executor", executor, "--home", home, *([] if room is None else ["--room", str(room)])],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    with journal.open("a") as file:
        file.write(done.stdout.splitlines()[-1] + "\n")
    if not keep:
        shutil.rmtree(home)


def table(sizes: Iterable[Size]) -> str:
    """Return the figures of all sizes; ratios are of processor time per message, to the smallest size."""
    lines, smallest = list[str](), dict[str, float]()
    for size in sizes:
        lines.append(
            f"\n{size['executor']}, {size['messages']:,} messages\n{'step':<20}{'messages/s':>12}{'µs ours':>10}"
            f"{'µs PostgreSQL':>15}{'rows/s':>10}{'ratio':>8}"
        )
        for name, step in {**size["steps"], "all": whole(size)}.items():
            cost = (step["ours"] + step["postgres"]) / size["messages"]
            ratio = cost / smallest.setdefault(name, cost or 1)
            lines.append(
                f"{name:<20}{size['messages'] / step['seconds']:>12,.0f}{1e6 * step['ours'] / size['messages']:>10,.0f}"
                f"{1e6 * step['postgres'] / size['messages']:>15,.0f}{step['rows'] / step['seconds']:>10,.0f}"
                f"{ratio:>8.2f}{' !' if ratio > LINEAR else ''}"
            )
        lines.append(
            f"bytes per message: raw {size['raw_bytes'] / size['messages']:,.0f}, "
            f"derived {size['derived_bytes'] / size['messages']:,.0f}; "
            f"peak memory: {size['peak_megabytes']:,} MB, of a worker {size['peak_megabytes_of_a_worker']:,} MB"
        )
    return "\n".join(lines)


def whole(size: Size) -> dict[str, float]:
    """Return the sums of all steps but what a run would not have to do again."""
    steps = [step for name, step in size["steps"].items() if name != READ_AGAIN]
    return {name: sum(step[name] for step in steps) for name in ("seconds", "ours", "postgres", "rows")}


if __name__ == "__main__":
    main()
