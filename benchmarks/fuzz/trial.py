"""One input: what came of it, what was wrong about that, and what it cost."""

from __future__ import annotations

import re
import resource
import signal
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

from benchmarks.fuzz import chat_arrays, containers, projects
from benchmarks.fuzz.inputs import Input, make_input
from benchmarks.fuzz.law import unlawful
from benchmarks.fuzz.rows import ReadFile, check_rows, read_file

# Nothing that the inputs are has a reason to take a tenth of these.
MOST_SECONDS: Final = 1
MOST_GROWTH_BYTES: Final = 64 * 1024 * 1024
# Allocations are traced for one input in so many: tracing takes several times as long as reading.
TRACED_EVERY: Final = 100
# Reasons that say an exception was caught which nobody foresaw.
_UNFORESEEN: Final = ("cannot be read", "the dialogue cannot be prepared")
_HANGING_SECONDS: Final = 60  # of a clock: only what hangs is interrupted
_MAXRSS_BYTES: Final = 1 if sys.platform == "darwin" else 1024


class InputTimeoutError(Exception):
    """The reading of an input does not end."""


@dataclass(slots=True)
class Trial:
    """What came of one input.

    Attributes:
        kind, number: by which the input can be made again.
        size: bytes of the file.
        dialogues, rejected: how many were read, how many records were rejected.
        findings: what must not be, in words; marks and numbers are left out, so that the same is the same.
        details: the same with everything.
        seconds: of processor time, for reading the file and preparing its rows.
        growth: bytes by which that made the peak memory of the process grow.
        traced: peak of Python's allocations in bytes; None if they were not traced.
        anomalies: what was met, by name.
    """

    kind: str
    number: int
    size: int = 0
    dialogues: int = 0
    rejected: int = 0
    findings: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    seconds: float = 0.0
    growth: int = 0
    traced: int | None = None
    anomalies: Counter[str] = field(default_factory=Counter)


def try_input(seed: int, kind: str, number: int, folder: Path) -> Trial:
    """Make an input, read it as an import does, and judge what came of it."""
    given = make_input(seed, kind, number)
    path = folder / given.name
    path.write_bytes(given.data)
    trial = Trial(kind, number, len(given.data))
    for finding in _findings(given, path, trial):
        trial.details.append(finding)
        trial.findings.append(_without_marks(finding))
    path.unlink()
    if trial.seconds > MOST_SECONDS:
        trial.findings.append("slow")
    if trial.growth > MOST_GROWTH_BYTES:
        trial.findings.append("much memory")
    return trial


def _findings(given: Input, path: Path, trial: Trial) -> Iterator[str]:
    try:
        with _measured(trial):
            read, judge = _read(given, path, trial.kind)
        for dialogue in read.dialogues:
            check_rows(dialogue)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        yield f"{type(error).__name__}: {error}"
        return
    trial.dialogues, trial.rejected = len(read.dialogues), len(read.rejected)
    for dialogue in read.dialogues:
        trial.anomalies.update(name.partition(":")[0] for name in dialogue.counts)
    yield from (f"{record.reason}: {record.error}" for record in read.rejected if record.reason in _UNFORESEEN)
    if given.said is not None:
        yield from judge(given.said)


def _read(given: Input, path: Path, kind: str) -> tuple[ReadFile, Callable[[list[Any]], Iterator[str]]]:
    """Return what came of an input, and what tells what of it was lost."""
    if kind == "arrays":
        read = chat_arrays.read_array(path)
        return read, lambda said: chat_arrays.unlawful(said, read)
    if kind == "projects":
        found, texts = projects.read_projects(path)
        return found, lambda said: projects.unlawful(said, given.name, texts)
    read = read_file(path)
    law = containers.unlawful if kind == "containers" else unlawful
    return read, lambda said: law(said, read)


def _without_marks(text: str) -> str:
    return re.sub(r"m\d+q|\d{3,}", "*", text)[:160]


@contextmanager
def _measured(trial: Trial) -> Iterator[None]:
    is_traced = trial.number % TRACED_EVERY == 0
    if is_traced:
        tracemalloc.start()
    before, start = _peak(), time.thread_time()
    signal.setitimer(signal.ITIMER_REAL, _HANGING_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        trial.seconds, trial.growth = time.thread_time() - start, _peak() - before
        if is_traced:
            trial.traced = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_BYTES


def interrupt_long_inputs() -> None:
    """Have inputs that take too long fail in this process."""
    signal.signal(signal.SIGALRM, _time_out)


def _time_out(_signal: int, _frame: FrameType | None) -> None:
    raise InputTimeoutError(f"hangs: ended after {_HANGING_SECONDS} seconds")
