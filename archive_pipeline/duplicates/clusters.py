"""From equal texts and similar pairs to clusters: stars around the member to keep.

Whatever the order of the input, the result is the same: entities are numbered in order of preference, and everything
goes by that number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.domain.batch import NO_TIME
from archive_pipeline.duplicates.paths import NO_PREFIX

# In order: the first criterion in which the kept member differs from the next best one is the reason to keep it.
KEEP_REASONS: Final = ["active_path", "longest", "newest", "smallest_id"]
COPY_KINDS: Final = ["prefix", "content"]
UNCLUSTERED: Final = -1

_Index = npt.NDArray[np.int64]
_Float = npt.NDArray[np.float64]
_Bool = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Preference:
    """What decides which member of a cluster is kept; one entry per entity.

    Attributes:
        is_on_active_path: first criterion: what the source shows.
        length: second: characters, the more the better.
        created_at: third: the newer the better, unknown times last.
        entity_id: last: the smaller the better.
    """

    is_on_active_path: _Bool
    length: _Index
    created_at: _Index
    entity_id: npt.NDArray[np.bytes_]

    def order(self) -> _Index:
        """Return the entities, the most preferred one first."""
        newest_first = np.where(self.created_at != NO_TIME, -self.created_at, np.iinfo(np.int64).max)
        return np.lexsort((self.entity_id, newest_first, -self.length, ~self.is_on_active_path))

    def reasons(self, kept: _Index, next_best: _Index) -> npt.NDArray[np.object_]:
        """Return why each kept entity is preferred to the next best one."""
        differs = [
            values[kept] != values[next_best] for values in (self.is_on_active_path, self.length, self.created_at)
        ]
        reasons: npt.NDArray[np.object_] = np.select(differs, KEEP_REASONS[:-1], KEEP_REASONS[-1]).astype(object)
        return reasons


@dataclass(frozen=True)
class Members:
    """Members of clusters, those of a cluster together, the kept one first and the others in order of preference.

    Attributes:
        entity: number of the entity.
        start: where the member's cluster begins.
        similarity: to the kept member.
    """

    entity: _Index
    start: _Index
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


def exact_clusters(classes: _Index) -> Members:
    """Return a cluster per class with several entities; entities are numbered in order of preference."""
    return _members(classes, np.ones(classes.size))


def near_clusters(kept_of: _Index, similarity: _Float, text_of: _Index) -> Members:
    """Return a cluster per star of at least two texts, with all entities that have them.

    Args:
        kept_of: per text, the kept text of its star, itself for that one, ``UNCLUSTERED`` for none.
        similarity: per text, to the kept text.
        text_of: per entity, its text, or ``UNCLUSTERED``; entities are numbered in order of preference.
    """
    star = np.full(text_of.size, UNCLUSTERED, dtype=np.int64)
    similar = np.ones(text_of.size)
    has_text = text_of != UNCLUSTERED
    star[has_text] = kept_of[text_of[has_text]]
    similar[has_text] = similarity[text_of[has_text]]
    return _members(star, similar)


def stars(count: int, left: _Index, right: _Index, similarity: _Float) -> tuple[_Index, _Float]:
    """Return per text the kept text of its star and the similarity to it.

    Texts are taken in order of preference. One that belongs to no star yet is kept, and all texts that are similar to
    it and belong to none join its star. Every member is therefore similar to the kept one itself: chains of texts of
    which only neighbours are similar fall apart into stars.

    Args:
        count: how many texts, numbered in order of preference.
        left: one text of each similar pair, the one with the smaller number; pairs are in ascending order.
        right: the other one.
        similarity: of each pair.
    """
    kept_of = [UNCLUSTERED] * count
    similar = [1.0] * count
    for kept, other, value in zip(left.tolist(), right.tolist(), similarity.tolist(), strict=True):
        if kept_of[kept] == UNCLUSTERED:
            # A text joins the star of a smaller number, and all pairs of those came before.
            kept_of[kept] = kept
        if kept_of[kept] == kept and kept_of[other] == UNCLUSTERED:
            kept_of[other], similar[other] = kept, value
    stars_of = np.array(kept_of, dtype=np.int64)
    return _without_singles(stars_of), np.array(similar)


def copy_kinds(members: Members, *prefixes: npt.NDArray[np.uint64]) -> npt.NDArray[np.object_]:
    """Return per member what it is a copy by: ``prefix``, ``content``, or None for the kept one.

    A member is a copy by prefix if one before it in its cluster has the same prefix, in whichever sense.

    Args:
        members: of clusters.
        prefixes: for each sense, per entity its shared prefix, or ``NO_PREFIX``.
    """
    is_prefix = np.zeros(members.entity.size, dtype=np.bool_)
    for sense in prefixes:
        is_prefix |= _repeats(members, sense[members.entity])
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


def _members(classes: _Index, similarity: _Float) -> Members:
    entity = np.lexsort((np.arange(classes.size), classes))
    entity = entity[classes[entity] != UNCLUSTERED]
    ordered = classes[entity]
    is_start = np.concatenate((np.ones(min(ordered.size, 1), np.bool_), ordered[1:] != ordered[:-1]))
    number = np.cumsum(is_start) - 1
    several = (np.bincount(number, minlength=0) > 1)[number]
    entity, number = entity[several], number[several]
    starts = np.flatnonzero(np.concatenate((np.ones(min(number.size, 1), np.bool_), number[1:] != number[:-1])))
    sizes = np.diff(np.append(starts, number.size))
    return Members(entity, np.repeat(starts, sizes), similarity[entity])


def _without_singles(kept_of: _Index) -> _Index:
    clustered = kept_of != UNCLUSTERED
    sizes = np.bincount(kept_of[clustered], minlength=kept_of.size)
    single = clustered.copy()
    single[clustered] = sizes[kept_of[clustered]] == 1
    return np.where(single, UNCLUSTERED, kept_of)
