"""Finding all duplicates of an archive: signatures of batches are added, in any order, then the clusters are made.

What is known of a text, about 200 bytes and its shingles, is on disk. In memory are only what is being worked on: a
few columns of all texts at a time, some 60 bytes a text. No text is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.domain.choices import DIALOGUE, ENTITY_TYPES, NEAR, RUNS, Normalization
from archive_pipeline.duplicates.cluster_rows import PREFERENCE, Entities
from archive_pipeline.duplicates.clusters import Numbers, exact_clusters, preference_order
from archive_pipeline.duplicates.columns import ColumnFile, order_by
from archive_pipeline.duplicates.near import HAS_SHINGLES, key_column, near_members
from archive_pipeline.duplicates.paths import NO_PREFIX, Prefixes, numbered
from archive_pipeline.duplicates.runs import ResultSets, run_members
from archive_pipeline.duplicates.shingles import ShingleStore
from archive_pipeline.duplicates.signatures import Signatures, TextSignatures

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "4"
_SIZE: Final = "size"
_RESULT: Final = "result"


@dataclass
class _Collected:
    """What is known of the texts of one kind of entity, in the order in which they came."""

    columns: ColumnFile
    store: ShingleStore
    count: int = 0

    def add(self, texts: TextSignatures, first_dialogue: int, handles: npt.NDArray[np.int64]) -> None:
        """Put what was made of the texts of a batch into the files."""
        for name in PREFERENCE:
            self.columns.append(name, getattr(texts.preference, name))
        self.columns.append("dialogue", texts.dialogue + first_dialogue)
        self.columns.append("handle", handles)
        self.columns.append("linked", texts.linked)
        for normalization, digests in texts.digests.items():
            for name, half in zip(_digest_columns(normalization), digests.T, strict=True):
                self.columns.append(name, half)
        self.columns.append(HAS_SHINGLES, texts.has_shingles)
        for band, keys in enumerate(texts.keys.T):
            self.columns.append(key_column(band), keys)
        self.store.append(texts.shingles)
        self.count += handles.size


@dataclass
class _CollectedResults:
    """What is known of the results of tools, of dialogues in the order in which they came."""

    columns: ColumnFile
    count: int = 0

    def add(self, sets: ResultSets, first_dialogue: int) -> None:
        """Put what was made of a batch into the file."""
        for name in PREFERENCE:
            self.columns.append(name, getattr(sets.preference, name))
        self.columns.append("dialogue", sets.dialogue + first_dialogue)
        # Runs begin alike because they are runs; a fork cannot be told from them here, so none is a copy by its prefix.
        self.columns.append("handle", np.full(sets.sizes.size, NO_PREFIX, dtype=np.int64))
        self.columns.append("linked", np.full(sets.sizes.size, NO_PREFIX, dtype=np.uint64))
        self.columns.append(_SIZE, sets.sizes)
        self.columns.append(_RESULT, sets.results)
        self.count += sets.sizes.size


class DuplicateFinder:
    """Takes the signatures of an archive, each dialogue once and in any order, and returns the clusters.

    Use ``duplicate_finder`` to make one: it needs files that have to be closed.
    """

    def __init__(
        self,
        normalizations: Iterable[Normalization],
        collected: dict[str, _Collected],
        results: _CollectedResults,
        folder: Path,
    ) -> None:
        self._normalizations = tuple(normalizations)
        self._dialogues: list[str] = []
        self._prefixes = Prefixes()
        self._collected = collected
        self._results = results
        self._folder = folder

    def add(self, signatures: Signatures) -> None:
        """Take what was made of a batch, under the finder's normalisations."""
        first_opening = self._prefixes.add(signatures.openings)
        for kind, texts in signatures.texts.items():
            self._collected[kind].add(texts, len(self._dialogues), numbered(texts.handle, first_opening))
        self._results.add(signatures.results, len(self._dialogues))
        self._dialogues += signatures.dialogue_ids

    def clusters(self) -> Iterator[pd.DataFrame]:
        """Yield the rows of ``duplicate_clusters``, some at a time, a cluster's together; then nothing can be added."""
        openings = self._prefixes.opening_prefixes()
        for kind, collected in self._collected.items():
            if collected.count:
                yield from self._clusters_of(kind, collected, openings)
        if self._results.count:
            yield from self._runs(openings)

    @property
    def compared(self) -> dict[str, int]:
        """Texts that are compared, per kind of entity, and dialogues with results of tools."""
        return {**{kind: collected.count for kind, collected in self._collected.items()}, DIALOGUE: self._results.count}

    def _clusters_of(
        self, kind: str, collected: _Collected, openings: npt.NDArray[np.uint64]
    ) -> Iterator[pd.DataFrame]:
        columns = collected.columns
        order = preference_order(columns.read)
        entities = Entities(kind, columns, order, self._dialogues, openings, self._folder)
        for normalization in self._normalizations:
            members = exact_clusters(_classes(columns, normalization)[order])
            yield from entities.rows(f"exact:{normalization.value}", members)
        full_class = _classes(columns, Normalization.FULL)[order]
        members = near_members(columns, collected.store, order, full_class, self._folder)
        del full_class
        yield from entities.rows(NEAR, members)

    def _runs(self, openings: npt.NDArray[np.uint64]) -> Iterator[pd.DataFrame]:
        columns = self._results.columns
        order = preference_order(columns.read)
        members = run_members(columns.read(_SIZE), columns.read(_RESULT), order)
        yield from Entities(DIALOGUE, columns, order, self._dialogues, openings, self._folder).rows(RUNS, members)


@contextmanager
def duplicate_finder(normalizations: Iterable[Normalization], folder: Path) -> Iterator[DuplicateFinder]:
    """Yield a finder of exact copies under the given normalisations, of near ones, and of runs of one task.

    Args:
        normalizations: what exact copies are equal under.
        folder: takes the columns of texts, and their shingles, eight bytes each, until the block ends.
    """
    with ExitStack() as stack:
        collected = {kind: _Collected(ColumnFile(folder), ShingleStore(folder)) for kind in ENTITY_TYPES}
        for each in collected.values():
            stack.callback(each.columns.close)
            stack.callback(each.store.close)
        results = _CollectedResults(ColumnFile(folder))
        stack.callback(results.columns.close)
        yield DuplicateFinder(normalizations, collected, results, folder)


def _digest_columns(normalization: Normalization) -> tuple[str, str]:
    return f"digest:{normalization.value}:high", f"digest:{normalization.value}:low"


def _classes(columns: ColumnFile, normalization: Normalization) -> Numbers:
    """Return a number per text that is equal exactly where the digests are, in the order of texts."""
    high, low = _digest_columns(normalization)
    order = order_by(columns.read(name) for name in (low, high))
    differs = np.zeros(order.size, dtype=np.bool_)
    for name in (low, high):
        ordered = columns.read(name)[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    classes = np.empty(order.size, dtype=np.int32)
    classes[order] = np.cumsum(differs, dtype=np.int32)
    return classes
