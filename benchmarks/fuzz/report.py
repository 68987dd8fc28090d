"""The report of a run: how many inputs, what was found, and what the worst of them cost, as Markdown."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from benchmarks.fuzz.chunks import ChunkResult
from benchmarks.fuzz.inputs import KINDS
from benchmarks.fuzz.trial import MOST_SECONDS, TRACED_EVERY

_WORST = 5
_MEGABYTE = 1_000_000


def report(seed: int, results: Sequence[ChunkResult]) -> str:
    """Return the report as Markdown."""
    lines = [
        f"Seed {seed}, {sum(result.count for result in results):,} inputs.",
        f"More than {MOST_SECONDS} second of processor time for one is a finding too.",
        "",
        *_figures(results),
        "",
        *_findings(results),
        "",
        *_worst("processor time, ms", results, lambda result: result.slowest, 1_000),
        "",
        *_worst("growth of the process's peak memory, MB", results, lambda result: result.largest, 1 / _MEGABYTE),
        "",
        *_worst(
            f"peak of Python's allocations, MB (every {TRACED_EVERY}th input)",
            results,
            lambda result: result.traced,
            1 / _MEGABYTE,
        ),
        "",
        *_anomalies(results),
    ]
    return "\n".join(lines) + "\n"


def _by_kind(results: Iterable[ChunkResult]) -> Iterator[tuple[str, list[ChunkResult]]]:
    every = list(results)
    return ((kind, own) for kind in KINDS if (own := [result for result in every if result.kind == kind]))


def _figures(results: Sequence[ChunkResult]) -> Iterator[str]:
    yield "| kind | inputs | bytes | dialogues | rejected records | findings | read a second of one processor |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for kind, own in _by_kind(results):
        inputs, seconds = sum(result.count for result in own), sum(result.seconds for result in own)
        figures = (
            inputs,
            sum(result.bytes for result in own),
            sum(result.dialogues for result in own),
            sum(result.rejected for result in own),
            sum(result.findings.total() for result in own),
            round(inputs / seconds) if seconds else 0,
        )
        yield f"| {kind} | {' | '.join(f'{figure:,}' for figure in figures)} |"


def _findings(results: Sequence[ChunkResult]) -> Iterator[str]:
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], int] = {}
    for result in results:
        for finding, count in result.findings.items():
            counts[result.kind, finding] += count
            examples.setdefault((result.kind, finding), result.examples[finding][0])
    if not counts:
        yield "No findings."
        return
    yield "| finding | how often | example |"
    yield "|---|---:|---|"
    for (kind, finding), count in counts.most_common():
        yield f"| {finding.replace('|', '/')} | {count:,} | `--show {kind}/{examples[kind, finding]}` |"


def _worst(
    title: str, results: Sequence[ChunkResult], figures: Callable[[ChunkResult], list[list[float]]], scale: float
) -> Iterator[str]:
    yield f"| {title} | kind | number |"
    yield "|---:|---|---:|"
    every = ((figure, result.kind, number) for result in results for figure, number in figures(result))
    for figure, kind, number in heapq.nlargest(_WORST, every):
        yield f"| {figure * scale:.1f} | {kind} | {number:.0f} |"


def _anomalies(results: Sequence[ChunkResult]) -> Iterator[str]:
    total: Counter[str] = Counter()
    for result in results:
        total.update(result.anomalies)
    yield "| met in dialogues | dialogues |"
    yield "|---|---:|"
    yield from (f"| `{name}` | {count:,} |" for name, count in total.most_common())
