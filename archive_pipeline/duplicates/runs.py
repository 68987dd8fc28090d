"""Runs of one task: dialogues in which tools were mostly asked the same and answered the same, whatever was said.

What several runs say differs too much for near-duplicates.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.derive.tool_results import answered_calls
from archive_pipeline.domain.batch import NO_TIME, DialogueBatch
from archive_pipeline.domain.identity import SEPARATOR
from archive_pipeline.duplicates.clusters import Members, Numbers, Preference, Stars, near_clusters
from archive_pipeline.duplicates.documents import halves_of

FEWEST_SHARED: Final = 3
# Of the dialogue that has fewer: a run may end early.
SHARED: Final = 0.5
# A call that more dialogues made tells nothing of their task, like the listing of a folder.
MOST_DIALOGUES: Final = 256
# Compared at once: bounds the memory of a comparison.
_PAIRS_AT_ONCE: Final = 1 << 18

_Index = npt.NDArray[np.int64]
_U64 = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class ResultSets:
    """The calls of tools, with their results, of the dialogues of a batch that have enough, an entry per dialogue.

    Attributes:
        preference: what decides which run is kept; its length is that of all results.
        dialogue: position in the batch.
        sizes: how many different calls or results.
        results: hashes of call and result, dialogue by dialogue.
    """

    preference: Preference
    dialogue: _Index
    sizes: _Index
    results: _U64


def result_sets(batch: DialogueBatch) -> ResultSets:
    """Return the calls and results of a batch; a result whose call is unknown says nothing of what was asked."""
    tools = batch.tools
    calls = answered_calls(batch, [part for part, call in enumerate(tools.tool_use_id) if call is not None])
    found: dict[int, dict[int, int]] = {}
    for result, call in calls.items():
        text = tools.text[result]
        if text is not None:
            exchanged = (tools.tool_name[call], tools.tool_input[call], tools.text[call], text)
            own = found.setdefault(batch.dialogue[tools.message[result]], {})
            own[_hash(SEPARATOR.join(each or "" for each in exchanged))] = len(text)
    chosen = {dialogue: own for dialogue, own in found.items() if len(own) >= FEWEST_SHARED}
    numbers = np.array(list(chosen), dtype=np.int64)
    newest = np.full(len(batch.dialogue_ids), NO_TIME)
    np.maximum.at(newest, np.array(batch.dialogue, dtype=np.int64), batch.created_at)
    return ResultSets(
        Preference(
            np.ones(numbers.size, dtype=np.bool_),
            np.array([sum(own.values()) for own in chosen.values()], dtype=np.int64),
            newest[numbers],
            *halves_of([batch.dialogue_ids[number].replace("-", "") for number in chosen]).T,
        ),
        numbers,
        np.array([len(own) for own in chosen.values()], dtype=np.int64),
        np.array([result for own in chosen.values() for result in own], dtype=np.uint64),
    )


def run_members(sizes: _Index, results: _U64, order: Numbers) -> Members:
    """Return the clusters of runs.

    Args:
        sizes: how many different results each dialogue has.
        results: their hashes, dialogue by dialogue.
        order: the dialogues in order of preference.
    """
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    stars = Stars(order.size)
    for left, right, similarity in _similar(np.repeat(place, sizes), results, order.size):
        stars.add(left, right, similarity)
    return near_clusters(*stars.found(), np.arange(order.size, dtype=np.int32))


def _similar(owner: _Index, results: _U64, count: int) -> Iterator[tuple[_Index, _Index, npt.NDArray[np.float64]]]:
    """Yield similar pairs in ascending order, the dialogue with the smaller number on the left.

    Args:
        owner: of each result, the number of its dialogue.
        results: their hashes; a dialogue has none twice.
        count: how many dialogues there are.
    """
    owner, after = _by_result(owner, results)
    sizes = np.bincount(owner, minlength=count)
    by_owner = np.argsort(owner, kind="stable")
    pairs = np.cumsum(np.bincount(owner, weights=after, minlength=count)).astype(np.int64)
    ends = np.searchsorted(owner[by_owner], np.arange(count), side="right")
    first = 0
    while first < count:
        before = pairs[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(pairs, before + _PAIRS_AT_ONCE, side="right")))
        entries = by_owner[ends[first - 1] if first else 0 : ends[last - 1]]
        left = np.repeat(owner[entries], after[entries])
        right = owner[np.repeat(entries + 1, after[entries]) + _counted(after[entries])]
        keys, shared = np.unique(left * count + right, return_counts=True)
        left, right = keys // count, keys % count
        similarity = shared / np.minimum(sizes[left], sizes[right])
        is_similar = (shared >= FEWEST_SHARED) & (similarity >= SHARED)
        yield left[is_similar], right[is_similar], similarity[is_similar]
        first = last


def _by_result(owner: _Index, results: _U64) -> tuple[_Index, _Index]:
    """Return the dialogues that have each result, one after another, and how many of the same result follow each.

    What very many dialogues have is left out.
    """
    order = np.lexsort((owner, results))
    owner, results = owner[order], results[order]
    starts = np.flatnonzero(np.concatenate((np.ones(min(results.size, 1), np.bool_), results[1:] != results[:-1])))
    shared_by = np.diff(np.append(starts, results.size))
    after = np.repeat(starts + shared_by, shared_by) - np.arange(results.size) - 1
    tells = np.repeat(shared_by <= MOST_DIALOGUES, shared_by)
    return owner[tells], after[tells]


def _counted(lengths: npt.NDArray[np.integer[Any]]) -> _Index:
    """Return 0, 1, … for each length, one after another."""
    ends = np.cumsum(lengths)
    counted: _Index = np.arange(int(ends[-1]) if ends.size else 0) - np.repeat(ends - lengths, lengths)
    return counted


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
