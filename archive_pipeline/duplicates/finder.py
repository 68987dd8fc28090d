"""Finding all duplicates of an archive: signatures of batches are added, in any order, then the clusters are made.

What is in memory of a text is about 200 bytes. Its shingles are on disk. No text is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from archive_pipeline.domain.choices import ENTITY_TYPES, NEAR, Normalization
from archive_pipeline.domain.frames import frame
from archive_pipeline.domain.identity import row_id
from archive_pipeline.duplicates.candidates import candidate_pairs
from archive_pipeline.duplicates.clusters import (
    UNCLUSTERED,
    Members,
    Preference,
    copy_kinds,
    exact_clusters,
    near_clusters,
    stars,
)
from archive_pipeline.duplicates.minhash import BANDS
from archive_pipeline.duplicates.paths import Prefixes, numbered
from archive_pipeline.duplicates.shingles import ShingleStore
from archive_pipeline.duplicates.signatures import Signatures, TextSignatures
from archive_pipeline.duplicates.similarity import THRESHOLD, jaccard, thresholds

CODE_VERSION: Final = "2"

_Index = npt.NDArray[np.int64]
_FIELDS: Final = ("entity_id", "length", "created_at", "is_on_active_path")


@dataclass
class _Collected:
    """What is kept of the texts of one kind of entity; each list has an array per batch."""

    store: ShingleStore
    columns: dict[str, list[npt.NDArray[Any]]] = field(default_factory=lambda: {name: [] for name in _FIELDS})
    dialogue: list[_Index] = field(default_factory=list)
    handle: list[_Index] = field(default_factory=list)
    linked: list[npt.NDArray[np.uint64]] = field(default_factory=list)
    digests: dict[Normalization, list[npt.NDArray[np.uint64]]] = field(default_factory=dict)
    in_store: list[npt.NDArray[np.bool_]] = field(default_factory=list)
    keys: list[npt.NDArray[np.uint32]] = field(default_factory=list)

    def add(self, texts: TextSignatures, first_dialogue: int, handles: _Index) -> None:
        """Keep what was made of the texts of a batch."""
        for name, arrays in self.columns.items():
            arrays.append(getattr(texts.preference, name))
        self.dialogue.append(texts.dialogue + first_dialogue)
        self.handle.append(handles)
        self.linked.append(texts.linked)
        for normalization, digests in texts.digests.items():
            self.digests.setdefault(normalization, []).append(digests)
        self.in_store.append(texts.has_shingles)
        self.keys.append(texts.keys)
        self.store.append(texts.shingles)


class DuplicateFinder:
    """Takes the signatures of an archive, each dialogue once and in any order, and returns the clusters.

    Use ``duplicate_finder`` to make one: it needs a file that has to be closed.
    """

    def __init__(self, normalizations: Iterable[Normalization], stores: dict[str, ShingleStore]) -> None:
        self._normalizations = tuple(normalizations)
        self._dialogues: list[str] = []
        self._prefixes = Prefixes()
        self._collected = {kind: _Collected(store) for kind, store in stores.items()}

    def add(self, signatures: Signatures) -> None:
        """Take what was made of a batch, under the finder's normalisations."""
        first_opening = self._prefixes.add(signatures.openings)
        for kind, texts in signatures.texts.items():
            self._collected[kind].add(texts, len(self._dialogues), numbered(texts.handle, first_opening))
        self._dialogues += signatures.dialogue_ids

    def clusters(self) -> pd.DataFrame:
        """Return the rows of ``duplicate_clusters``, a cluster's together; nothing can be added after."""
        openings = self._prefixes.opening_prefixes()
        frames = [
            rows
            for kind, collected in self._collected.items()
            if collected.dialogue
            for rows in self._clusters_of(kind, collected, openings)
        ]
        return pd.concat(frames, ignore_index=True) if frames else _rows_of_nothing()

    @property
    def compared(self) -> dict[str, int]:
        """Texts that are compared, per kind of entity."""
        return {kind: sum(map(len, collected.dialogue)) for kind, collected in self._collected.items()}

    def _clusters_of(
        self, kind: str, collected: _Collected, openings: npt.NDArray[np.uint64]
    ) -> Iterator[pd.DataFrame]:
        preference = Preference(**{name: np.concatenate(arrays) for name, arrays in collected.columns.items()})
        order = preference.order()
        preference = Preference(**{name: getattr(preference, name)[order] for name in _FIELDS})
        handles = np.concatenate(collected.handle)[order]
        entities = _Entities(
            kind,
            preference,
            [self._dialogues[index] for index in np.concatenate(collected.dialogue)[order].tolist()],
            _prefixes_of(handles, openings),
            np.concatenate(collected.linked)[order],
        )
        classes = {kind: _classes(np.concatenate(digests)[order]) for kind, digests in collected.digests.items()}
        for normalization in self._normalizations:
            yield entities.rows(f"exact:{normalization.value}", exact_clusters(classes[normalization]))
        yield entities.rows(NEAR, _near(collected, classes[Normalization.FULL], order))


@contextmanager
def duplicate_finder(normalizations: Iterable[Normalization], folder: Path) -> Iterator[DuplicateFinder]:
    """Yield a finder of exact copies under the given normalisations and of near ones.

    Args:
        normalizations: what exact copies are equal under.
        folder: takes the shingles, eight bytes each, until the block ends.
    """
    with ExitStack() as stack:
        stores = {kind: ShingleStore(folder) for kind in ENTITY_TYPES}
        for store in stores.values():
            stack.callback(store.close)
        yield DuplicateFinder(normalizations, stores)


@dataclass(frozen=True)
class _Entities:
    """All compared entities of a kind, numbered in order of preference."""

    kind: str
    preference: Preference
    dialogue_id: list[str]
    prefix: npt.NDArray[np.uint64]
    linked: npt.NDArray[np.uint64]

    def rows(self, method: str, members: Members) -> pd.DataFrame:
        """Return the rows of the clusters of a method."""
        entity, start, size = members.entity, members.start, members.size
        ids = [name.decode() for name in self.preference.entity_id[entity].tolist()]
        reasons = np.full(entity.size, None, dtype=object)
        kept = np.flatnonzero(members.is_kept)
        reasons[kept] = self.preference.reasons(entity[kept], entity[kept + 1])
        clusters = {first: _cluster_id(method, ids[first : first + size[first]]) for first in kept.tolist()}
        return frame(
            {
                "cluster_id": [clusters[first] for first in start.tolist()],
                "entity_type": [self.kind] * entity.size,
                "entity_id": ids,
                "dialogue_id": [self.dialogue_id[index] for index in entity.tolist()],
                "method": [method] * entity.size,
                "similarity": members.similarity,
                "is_kept": members.is_kept,
                "keep_reason": reasons.tolist(),
                "copy_kind": copy_kinds(members, self.prefix, self.linked).tolist(),
                "cluster_size": size,
                "text_length": self.preference.length[entity],
            }
        )


def _cluster_id(method: str, members: list[str]) -> str:
    return row_id("duplicate_cluster", method, min(members))


def _near(collected: _Collected, full_class: _Index, order: _Index) -> Members:
    """Return the near clusters; ``full_class`` has the class of each entity under ``full``, in order of preference."""
    in_store = np.concatenate(collected.in_store)
    number = np.where(in_store, np.cumsum(in_store) - 1, UNCLUSTERED)[order]
    comparable = np.flatnonzero(number != UNCLUSTERED)
    # Equal texts are compared once. Numbered by their first entity, texts are in order of preference too.
    first, text = _first_of_each(full_class[comparable])
    stored = number[comparable][first]
    text_of = np.full(order.size, UNCLUSTERED, dtype=np.int64)
    text_of[comparable] = text
    sizes = collected.store.sizes[stored]
    keys = np.concatenate([np.empty((0, BANDS), dtype=np.uint32), *collected.keys])[stored]
    left, right = candidate_pairs(keys, sizes, THRESHOLD)
    similarity = jaccard(collected.store, stored[left], stored[right])
    is_near = similarity >= thresholds(sizes[left], sizes[right])
    kept_of, similar = stars(stored.size, left[is_near], right[is_near], similarity[is_near])
    return near_clusters(kept_of, similar, text_of)


def _first_of_each(classes: _Index) -> tuple[_Index, _Index]:
    """Return where each class occurs first, ascending, and per element the place of its class there."""
    _, first, inverse = np.unique(classes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return first[order], place[inverse]


def _classes(digests: npt.NDArray[np.uint64]) -> _Index:
    """Return a number per digest that is equal exactly where the digests are."""
    order = np.lexsort((digests[:, 1], digests[:, 0]))
    ordered = digests[order]
    classes = np.empty(order.size, dtype=np.int64)
    classes[order] = np.cumsum(np.concatenate(([0], (ordered[1:] != ordered[:-1]).any(axis=1))))
    return classes


def _prefixes_of(handles: _Index, openings: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    prefixes = np.maximum(handles, 0).astype(np.uint64)
    is_opening = handles < 0
    prefixes[is_opening] = openings[-1 - handles[is_opening]]
    return prefixes


def _rows_of_nothing() -> pd.DataFrame:
    nothing: _Index = np.zeros(0, dtype=np.int64)
    none = Preference(nothing.astype(np.bool_), nothing, nothing, nothing.astype("S36"))
    of_none = nothing.astype(np.uint64)
    return _Entities(ENTITY_TYPES[0], none, [], of_none, of_none).rows(NEAR, exact_clusters(nothing))
