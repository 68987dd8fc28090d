"""Inputs in chunks: each one is tried in a process of its own turn and its result kept, so that a run can go on."""

from __future__ import annotations

import heapq
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, fields
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from benchmarks.fuzz.trial import Trial, interrupt_long_inputs, try_input

CHUNK_INPUTS: Final = 1_000
_MOST_KEPT: Final = 10
_MEMORY_FOLDER: Final = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it

# What a chunk is: kind, first number, count.
ChunkName = tuple[str, int, int]


@dataclass(slots=True)
class ChunkResult:
    """What came of a chunk.

    Attributes:
        kind, first, count: which inputs.
        bytes, dialogues, rejected: sums.
        seconds: of processor time, sum.
        anomalies: dialogues by what was met in them.
        findings: how often, by what.
        examples: finding -> the number of an input that shows it and the details.
        slowest, largest, traced: the worst inputs: [figure, number], the highest first.
    """

    kind: str
    first: int
    count: int
    bytes: int = 0
    dialogues: int = 0
    rejected: int = 0
    seconds: float = 0.0
    anomalies: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Any]] = field(default_factory=dict)
    slowest: list[list[float]] = field(default_factory=list)
    largest: list[list[float]] = field(default_factory=list)
    traced: list[list[float]] = field(default_factory=list)

    @property
    def name(self) -> ChunkName:
        """Which chunk it is."""
        return self.kind, self.first, self.count


def chunks_of(kinds: Sequence[str], inputs: int) -> Iterator[ChunkName]:
    """Yield chunks of ``inputs`` inputs in all, the kinds in turn, so that a run that is ended has some of each."""
    share = -(-inputs // len(kinds))
    for first in range(0, share, CHUNK_INPUTS):
        for kind in kinds:
            yield kind, first, min(CHUNK_INPUTS, share - first)


def run_chunk(seed: int, name: ChunkName) -> ChunkResult:
    """Try the inputs of a chunk in this process."""
    interrupt_long_inputs()
    kind, first, count = name
    result = ChunkResult(kind, first, count)
    with tempfile.TemporaryDirectory(dir=_MEMORY_FOLDER if _MEMORY_FOLDER.is_dir() else None) as folder:
        for number in range(first, first + count):
            _add(result, try_input(seed, kind, number, Path(folder)))
    return result


def _add(result: ChunkResult, trial: Trial) -> None:
    result.bytes += trial.size
    result.dialogues += trial.dialogues
    result.rejected += trial.rejected
    result.seconds += trial.seconds
    result.anomalies.update(trial.anomalies)
    for finding in trial.findings:
        result.findings[finding] += 1
        result.examples.setdefault(finding, [trial.number, "; ".join(trial.details)[:1_000]])
    _keep(result.largest, trial.growth, trial.number)
    if trial.traced is None:
        _keep(result.slowest, trial.seconds, trial.number)
    else:
        _keep(result.traced, trial.traced, trial.number)  # tracing takes most of the time


def _keep(worst: list[list[float]], figure: float, number: int) -> None:
    worst[:] = heapq.nlargest(_MOST_KEPT, [*worst, [figure, number]])


def run_chunks(seed: int, names: Sequence[ChunkName], workers: int, done: Callable[[ChunkResult], None]) -> None:
    """Try chunks in several processes; ``done`` is called with each as it ends."""
    waiting = iter(names)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:

        def submit(count: int) -> set[Future[ChunkResult]]:
            return {pool.submit(run_chunk, seed, name) for name in islice(waiting, count)}

        running = submit(2 * workers)
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                done(future.result())
            running |= submit(len(finished))


class Journal:
    """The results of a run, a line a chunk, in a file that the next run reads."""

    def __init__(self, path: Path, seed: int) -> None:
        self._path = path
        self.results: list[ChunkResult] = []
        if path.exists():
            with path.open(encoding="utf-8") as lines:
                header = json.loads(next(lines))
                if header != {"seed": seed}:
                    raise SystemExit(f"{path} is of another seed ({header['seed']}): give that one or another folder")
                self.results = [_result(json.loads(line)) for line in lines if line.endswith("\n")]
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"seed": seed}) + "\n", encoding="utf-8")

    def add(self, result: ChunkResult) -> None:
        """Keep a result."""
        self.results.append(result)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({name.name: getattr(result, name.name) for name in fields(result)}) + "\n")


def _result(line: dict[str, Any]) -> ChunkResult:
    for name in ("anomalies", "findings"):
        line[name] = Counter(line[name])
    return ChunkResult(**line)
