"""From equal texts and similar pairs to clusters: stars around the member to keep.

Whatever the order of the input, the result is the same: entities are numbered in order of preference, and everything
goes by that number.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.domain.batch import NO_TIME
from archive_pipeline.duplicates.columns import order_by
from archive_pipeline.duplicates.paths import NO_PREFIX

# In order: the first criterion in which the kept member differs from the next best one is the reason to keep it.
KEEP_REASONS: Final = ["active_path", "longest", "newest", "smallest_id"]
COPY_KINDS: Final = ["prefix", "content"]
UNCLUSTERED: Final = -1

# Numbers of entities and texts: there are not 2**31.
Numbers = npt.NDArray[np.int32]
_Index = npt.NDArray[np.integer[Any]]
_Float = npt.NDArray[np.float64]
_Bool = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Preference:
    """What decides which member of a cluster is kept; one entry per entity.

    Attributes:
        is_on_active_path: first criterion: what the source shows.
        length: second: characters, the more the better.
        created_at: third: the newer the better, unknown times last.
        id_high, id_low: last: the UUID of the entity, 64 bits each; the smaller the better.
    """

    is_on_active_path: _Bool
    length: _Index
    created_at: _Index
    id_high: npt.NDArray[np.uint64]
    id_low: npt.NDArray[np.uint64]

    def reasons(self, kept: _Index, next_best: _Index) -> npt.NDArray[np.object_]:
        """Return why each kept entity is preferred to the next best one."""
        differs = [
            values[kept] != values[next_best] for values in (self.is_on_active_path, self.length, self.created_at)
        ]
        reasons: npt.NDArray[np.object_] = np.select(differs, KEEP_REASONS[:-1], KEEP_REASONS[-1]).astype(object)
        return reasons


def preference_order(read: Callable[[str], npt.NDArray[Any]]) -> Numbers:
    """Return the entities, the most preferred one first.

    Args:
        read: returns a field of the ``Preference`` of all entities by its name; each is in memory by itself.
    """
    return order_by(_keys(read))


def _keys(read: Callable[[str], npt.NDArray[Any]]) -> Iterator[npt.NDArray[Any]]:
    yield read("id_low")
    yield read("id_high")
    yield _newest_first(read("created_at"))
    yield -read("length")
    yield ~read("is_on_active_path")


def _newest_first(created_at: _Index) -> _Index:
    return np.where(created_at != NO_TIME, -created_at, np.iinfo(np.int64).max)


@dataclass(frozen=True)
class Members:
    """Members of clusters, those of a cluster together, the kept one first and the others in order of preference.

    Attributes:
        entity: number of the entity.
        start: where the member's cluster begins.
        similarity: to the kept member.
    """

    entity: Numbers
    start: Numbers
    similarity: _Float

    @property
    def is_kept(self) -> _Bool:
        """Whether the member is the kept one of its cluster."""
        first: _Bool = self.start == np.arange(self.entity.size)
        return first

    @property
    def size(self) -> _Index:
        """Per member, how many members its cluster has."""
        return np.bincount(self.start, minlength=self.entity.size)[self.start]

    def parts(self, limit: int) -> Iterator[tuple[int, int]]:
        """Yield from where to where parts of whole clusters go: ``limit`` members at most, or one cluster."""
        first, count = 0, self.entity.size
        while first < count:
            last = first + limit
            last = count if last >= count else int(self.start[last])  # where the cluster begins that the limit cuts
            if last == first:
                last = int(np.searchsorted(self.start, first, side="right"))
            yield first, last
            first = last

    def part(self, first: int, last: int) -> Members:
        """Return the members of such a part as if they were all."""
        return Members(self.entity[first:last], self.start[first:last] - first, self.similarity[first:last])


def exact_clusters(classes: Numbers) -> Members:
    """Return a cluster per class with several entities; entities are numbered in order of preference."""
    entity, start = _members(classes)
    return Members(entity, start, np.broadcast_to(np.float64(1), entity.size))


def near_clusters(kept_of: Numbers, similarity: _Float, text_of: Numbers) -> Members:
    """Return a cluster per star of at least two texts, with all entities that have them.

    Args:
        kept_of: per text, the kept text of its star, itself for that one, ``UNCLUSTERED`` for none.
        similarity: per text, to the kept text.
        text_of: per entity, its text, or ``UNCLUSTERED``; entities are numbered in order of preference.
    """
    star = np.full(text_of.size, UNCLUSTERED, dtype=np.int32)
    has_text = text_of != UNCLUSTERED
    star[has_text] = kept_of[text_of[has_text]]
    entity, start = _members(star)
    return Members(entity, start, similarity[text_of[entity]])


class Stars:
    """Texts that are taken in order of preference.

    One that belongs to no star yet is kept, and all texts that are similar to it and belong to none join its star.
    Every member is therefore similar to the kept one itself: chains of texts of which only neighbours are similar fall
    apart into stars.
    """

    def __init__(self, count: int) -> None:
        """Begin with ``count`` texts, numbered in order of preference."""
        self._kept_of = array("i", [UNCLUSTERED]) * count
        self._similar = array("d", [1.0]) * count

    def add(self, left: _Index, right: _Index, similarity: _Float) -> None:
        """Take similar pairs, which come in ascending order.

        Args:
            left: one text of each pair, the one with the smaller number.
            right: the other one.
            similarity: of each pair.
        """
        kept_of, similar = self._kept_of, self._similar
        for kept, other, value in zip(left.tolist(), right.tolist(), similarity.tolist(), strict=True):
            if kept_of[kept] == UNCLUSTERED:
                # A text joins the star of a smaller number, and all pairs of those came before.
                kept_of[kept] = kept
            if kept_of[kept] == kept and kept_of[other] == UNCLUSTERED:
                kept_of[other], similar[other] = kept, value

    def found(self) -> tuple[Numbers, _Float]:
        """Return per text the kept text of its star, ``UNCLUSTERED`` for none, and the similarity to it."""
        kept_of = np.frombuffer(self._kept_of, dtype=np.int32)
        return _without_singles(kept_of), np.frombuffer(self._similar, dtype=np.float64)


def copy_kinds(members: Members, *prefixes: npt.NDArray[np.uint64]) -> npt.NDArray[np.object_]:
    """Return per member what it is a copy by: ``prefix``, ``content``, or None for the kept one.

    A member is a copy by prefix if one before it in its cluster has the same prefix, in whichever sense.

    Args:
        members: of clusters.
        prefixes: for each sense, per member its shared prefix, or ``NO_PREFIX``.
    """
    is_prefix = np.zeros(members.entity.size, dtype=np.bool_)
    for sense in prefixes:
        is_prefix |= _repeats(members, sense)
    kinds = np.where(is_prefix, *COPY_KINDS).astype(object)
    kinds[members.is_kept] = None
    return kinds


def _repeats(members: Members, own: npt.NDArray[np.uint64]) -> _Bool:
    """Tell per member whether one before it in its cluster has the same prefix."""
    order = np.lexsort((np.arange(own.size), own, members.start))
    same = (own[order][1:] == own[order][:-1]) & (members.start[order][1:] == members.start[order][:-1])
    repeats = np.zeros(own.size, dtype=np.bool_)
    repeats[order[1:][same]] = True
    repeats &= own != NO_PREFIX
    return repeats


def _members(classes: Numbers) -> tuple[Numbers, Numbers]:
    """Return the entities of the classes that have several, class by class, and where the class of each begins."""
    repeated = classes != UNCLUSTERED
    repeated[repeated] = (np.bincount(classes[repeated]) > 1)[classes[repeated]]
    entity = np.flatnonzero(repeated).astype(np.int32)
    entity = entity[np.argsort(classes[entity], kind="stable")]
    ordered = classes[entity]
    starts = np.flatnonzero(np.concatenate((np.ones(min(ordered.size, 1), np.bool_), ordered[1:] != ordered[:-1])))
    sizes = np.diff(np.append(starts, ordered.size))
    return entity, np.repeat(starts.astype(np.int32), sizes)


def _without_singles(kept_of: Numbers) -> Numbers:
    clustered = kept_of != UNCLUSTERED
    is_alone = np.bincount(kept_of[clustered], minlength=kept_of.size) == 1
    single = clustered.copy()
    single[clustered] = is_alone[kept_of[clustered]]
    return np.where(single, np.int32(UNCLUSTERED), kept_of)
