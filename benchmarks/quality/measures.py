"""How good rankings are: recall of dialogues and messages, nDCG, abstention, each with a bootstrap interval."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.quality.questions import Question

FIRST: Final = 10
FEW: Final = 5
_SAMPLES: Final = 1_000
_INTERVAL: Final = (2.5, 97.5)
_OUTDATED_GAIN: Final = 0.5


@dataclass(frozen=True, slots=True)
class Found:
    """A result: the dialogues that it shows, and their messages on the pages that it shows."""

    dialogues: frozenset[str]
    messages: frozenset[str]


@dataclass(frozen=True, slots=True)
class Measured:
    """What the answers to some questions came to; shares of 1.

    Attributes:
        recall_few, recall: of the right dialogues among the first five and ten results; a question with more right ones
            than results has all if every result is right.
        message_recall: of the right messages among the first ten.
        ndcg: of the first ten, by dialogue; what is outdated counts half.
    """

    recall_few: float
    recall: float
    message_recall: float
    ndcg: float


def measure(question: Question, results: Sequence[Found]) -> Measured:
    """Compare results with what is right; ``question.gold`` has something."""
    right = frozenset(question.gold)
    messages = frozenset().union(*question.gold.values())
    found = frozenset().union(*(result.messages for result in results[:FIRST]))
    return Measured(
        _recall(right, results[:FEW], FEW),
        _recall(right, results[:FIRST], FIRST),
        len(messages & found) / min(len(messages), FIRST),
        _ndcg(right, question.outdated, results[:FIRST]),
    )


def _recall(right: Collection[str], results: Sequence[Found], most: int) -> float:
    found = frozenset().union(*(result.dialogues for result in results))
    return min(1.0, len(found.intersection(right)) / min(len(right), most))


def _ndcg(right: frozenset[str], outdated: frozenset[str], results: Sequence[Found]) -> float:
    gains = {**dict.fromkeys(outdated, _OUTDATED_GAIN), **dict.fromkeys(right, 1.0)}
    ideal = sum(
        gain / log2(rank + 1) for rank, gain in enumerate(sorted(gains.values(), reverse=True)[:FIRST], start=1)
    )
    reached, seen = 0.0, set[str]()
    for rank, result in enumerate(results, start=1):
        new = [(gains[name], name) for name in result.dialogues if name in gains and name not in seen]
        if new:
            reached += max(new)[0] / log2(rank + 1)
            seen |= {name for _, name in new}
    return reached / ideal


def mean_with_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and the interval in which 95 of 100 means of resampled values lie."""
    array: npt.NDArray[np.float64] = np.array(values, dtype=np.float64)
    chance = np.random.default_rng(len(array))
    means = array[chance.integers(0, len(array), (_SAMPLES, len(array)))].mean(axis=1)
    low, high = np.percentile(means, _INTERVAL)
    return float(array.mean()), float(low), float(high)


def by_sort(measured: Mapping[Question, Measured]) -> dict[str, list[Measured]]:
    """Return the measures of each kind of question and of each source, in the order in which they come."""
    kinds: dict[str, list[Measured]] = {}
    sources: dict[str, list[Measured]] = {}
    for question, each in measured.items():
        kinds.setdefault(question.kind.value, []).append(each)
        if question.source:
            sources.setdefault(question.source, []).append(each)
    return kinds | sources
