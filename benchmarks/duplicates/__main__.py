"""Near-duplicates of labelled pairs: the pipeline beside published libraries, on the same texts, in one run.

    python -m benchmarks.duplicates [--pairs 100] [--sizes 10000,100000]

Prints how much of each kind of pair every way of finding them finds, its precision and time; then how many of all
near-duplicates of a sample (by comparing every text with every other one) are found; then time and memory of the
pipeline by the number of messages. With ARCHIVE_REAL_DATA half of the texts are from conversations there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from benchmarks.duplicates.finders import FINDERS, Finder, Pairs, every_pair
from benchmarks.duplicates.labelled import BETWEEN, KINDS, SAME, LabelledTexts, labelled_texts

_SECONDS: Final = "processor seconds"


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100, help="pairs of each kind")
    parser.add_argument("--sizes", default="10000,100000", help="messages to measure time and memory with")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    folder = os.environ.get("ARCHIVE_REAL_DATA")
    labelled = labelled_texts(arguments.pairs, seed=arguments.seed, real_data=Path(folder) if folder else None)
    print(f"{len(labelled.texts):,} texts, {arguments.pairs} pairs of each kind\n")
    truth = set(every_pair(labelled.texts))
    measured = {name: _measure(find, labelled, truth) for name, find in FINDERS.items()}
    measured["every pair"] = _judge(truth, labelled, truth)
    print("| | " + " | ".join(measured) + " |\n|---|" + "---:|" * len(measured))
    for row in measured["every pair"] | {_SECONDS: ""}:
        print(f"| {row} | " + " | ".join(values.get(row, "") for values in measured.values()) + " |")
    for size in filter(None, arguments.sizes.split(",")):
        command = [sys.executable, "-m", "benchmarks.duplicates.scale", size]
        print(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))  # noqa: S603


def _measure(find: Finder, labelled: LabelledTexts, truth: Pairs) -> dict[str, str]:
    started = time.process_time()
    found = find(labelled.texts)
    seconds = time.process_time() - started
    return {**_judge(_ordered(found), labelled, truth), _SECONDS: f"{seconds:.1f}"}


def _judge(found: Pairs, labelled: LabelledTexts, truth: Pairs) -> dict[str, str]:
    """Return how much of each kind was found; precision and recall by the labels, and recall of all near pairs.

    Kinds between "the same" and "another text" count for neither precision nor recall.
    """
    made = {kind: _ordered(set(pairs)) for kind, pairs in labelled.pairs.items()}
    wanted = set().union(*(made[kind] for kind in SAME))
    judged = found - set().union(*(made[kind] for kind in BETWEEN))
    return {
        **{kind: f"{len(found & made[kind]) / len(made[kind]):.0%}" for kind in KINDS},
        "precision": f"{len(judged & wanted) / max(len(judged), 1):.3f}",
        "recall": f"{len(found & wanted) / len(wanted):.3f}",
        "recall of all near pairs": f"{len(found & truth) / max(len(truth), 1):.3f}",
    }


def _ordered(pairs: Pairs) -> Pairs:
    return {(min(pair), max(pair)) for pair in pairs}


if __name__ == "__main__":
    main()
