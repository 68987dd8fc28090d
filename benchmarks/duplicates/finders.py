"""Ways to find near-duplicates in a list of texts, each as a function from texts to pairs of positions.

The libraries are used as their documentation shows: shingles of three words of the text under ``full``, 128
permutations, a similarity of 0.7, candidates taken as found. ``verified`` compares the candidates as well.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final

import datasketch
import numpy as np
import rensa

from archive_pipeline.domain.batch import DialogueBatch, Media, ToolParts
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.duplicates.finder import duplicate_finder
from archive_pipeline.duplicates.signatures import signatures_of
from archive_pipeline.duplicates.similarity import SHORT_BELOW, SHORT_THRESHOLD, THRESHOLD
from archive_pipeline.text.simhash import simhash_v2
from benchmarks.duplicates.labelled import shingles_of

Pairs = set[tuple[int, int]]
Finder = Callable[[Sequence[str]], Pairs]

PERMUTATIONS: Final = 128
HAMMING: Final = 3
_BLOCKS: Final = 4
_BLOCK_BITS: Final = 16
# Pairs of a group of texts with one key are listed up to this size; larger groups do not occur in these texts.
_LARGEST_GROUP: Final = 1_000
_MEMBER: Final = ["entity_type", "cluster_id", "entity_id"]


def batch_of(texts: Sequence[str | None], *, first: int = 0) -> DialogueBatch:
    """Return a batch of dialogues of one message each; ids count from ``first``."""
    count = len(texts)
    return DialogueBatch(
        dialogue_ids=[_id(1, first + number) for number in range(count)],
        active_ids=[None] * count,
        message_ids=[_id(2, first + number) for number in range(count)],
        dialogue=list(range(count)),
        parent=[-1] * count,
        role=["user"] * count,
        sequence_number=[0] * count,
        created_at=np.arange(first, first + count, dtype=np.int64),
        is_complete=[True] * count,
        is_hidden=[False] * count,
        text=list(texts),
        has_other_content=[False] * count,
        tools=ToolParts([], [], [], [], [], [], []),
        media=Media([], [], [], [], []),
        options=[None] * count,
    )


def archive(texts: Sequence[str]) -> Pairs:
    """Find clusters as the pipeline does, messages and exchanges; every pair of a cluster of messages counts."""
    with duplicate_finder([Normalization.FULL], Path(tempfile.gettempdir())) as finder:
        finder.add(signatures_of(batch_of(texts), [Normalization.FULL]))
        rows = [row for some in finder.clusters() for row in some[_MEMBER].itertuples(index=False, name=None)]
    members = defaultdict[str, list[int]](list)
    for kind, cluster, name in rows:
        if kind == "message":
            members[cluster].append(int(name[-12:]))
    return {pair for numbers in members.values() for pair in combinations(sorted(numbers), 2)}


def with_datasketch(texts: Sequence[str]) -> Pairs:
    """Use `datasketch.MinHashLSH`."""
    index = datasketch.MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    found: Pairs = set()
    for number, shingles in enumerate(map(shingles_of, texts)):
        sketch = datasketch.MinHash(num_perm=PERMUTATIONS)
        sketch.update_batch([shingle.encode() for shingle in shingles])
        found.update((other, number) for other in index.query(sketch))
        index.insert(number, sketch, check_duplication=False)
    return found


def with_rensa(texts: Sequence[str]) -> Pairs:
    """Use `rensa.RMinHashLSH` in 16 bands."""
    index = rensa.RMinHashLSH(THRESHOLD, PERMUTATIONS, 16)
    found: Pairs = set()
    for number, shingles in enumerate(map(shingles_of, texts)):
        sketch = rensa.RMinHash(PERMUTATIONS, 42)
        sketch.update(list(shingles))
        found.update((other, number) for other in index.query(sketch))
        index.insert(number, sketch)
    return found


def with_simhash(texts: Sequence[str]) -> Pairs:
    """Compare simhashes (version 2) that agree in one of four blocks; near are up to three different bits."""
    hashes = [None if value is None else int(value, 16) for value in simhash_v2(texts)]
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, value in enumerate(hashes):
        for block in range(_BLOCKS) if value is not None else ():
            groups[block, (value or 0) >> (_BLOCK_BITS * block) & 0xFFFF].append(number)
    return {
        (a, b)
        for group in groups.values()
        for a, b in combinations(group[:_LARGEST_GROUP], 2)
        if ((hashes[a] or 0) ^ (hashes[b] or 0)).bit_count() <= HAMMING
    }


def verified(finder: Finder) -> Finder:
    """Return the finder with its candidates compared, by the pipeline's thresholds."""

    def find(texts: Sequence[str]) -> Pairs:
        found = finder(texts)
        sets = {number: shingles_of(texts[number]) for pair in found for number in pair}
        return {(a, b) for a, b in found if is_near(sets[a], sets[b])}

    return find


def every_pair(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield all near-duplicates by comparing every text with every other one."""
    sets = list(map(shingles_of, texts))
    yield from ((a, b) for a, b in combinations(range(len(sets)), 2) if is_near(sets[a], sets[b]))


def is_near(left: set[str], right: set[str]) -> bool:
    """Compare two sets of shingles by the pipeline's thresholds."""
    smaller, larger = sorted((len(left), len(right)))
    if smaller < THRESHOLD * larger:
        return False
    shared = len(left & right)
    threshold = SHORT_THRESHOLD if smaller < SHORT_BELOW else THRESHOLD
    return shared >= threshold * (smaller + larger - shared)


def _id(kind: int, number: int) -> str:
    return f"{kind:08d}-0000-4000-8000-{number:012d}"


FINDERS: Final[Mapping[str, Finder]] = {
    "llm-archive": archive,
    "datasketch": with_datasketch,
    "datasketch, verified": verified(with_datasketch),
    "rensa": with_rensa,
    "rensa, verified": verified(with_rensa),
    "simhash, 3 bits": with_simhash,
    "simhash, verified": verified(with_simhash),
}
