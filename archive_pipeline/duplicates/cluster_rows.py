"""The rows of ``duplicate_clusters``, made a part of the clusters at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.domain.frames import frame
from archive_pipeline.domain.identity import row_id
from archive_pipeline.duplicates.clusters import Members, Numbers, Preference, copy_kinds
from archive_pipeline.duplicates.columns import ColumnFile

if TYPE_CHECKING:
    import pandas as pd

PREFERENCE: Final = ("is_on_active_path", "length", "created_at", "id_high", "id_low")
COLUMNS: Final = (*PREFERENCE, "dialogue", "handle", "linked")
# Of a frame, whose values are Python's objects: some 500 bytes a row.
ROWS_AT_ONCE: Final = 8_192

_U64 = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Entities:
    """All compared entities of a kind.

    Attributes:
        kind: ``message``, ``exchange``, ``dialogue``.
        columns: ``COLUMNS`` of the entities in the order in which they came.
        order: the entities in order of preference.
        dialogue_ids: of the dialogues that the entities' numbers mean.
        openings: what ``Prefixes.opening_prefixes`` returns.
        folder: takes the values of the members of clusters, 57 bytes each, while rows are made of them.
    """

    kind: str
    columns: ColumnFile
    order: Numbers
    dialogue_ids: Sequence[str]
    openings: _U64
    folder: Path

    def rows(self, method: str, members: Members) -> Iterator[pd.DataFrame]:
        """Yield the rows of a method's clusters, ``ROWS_AT_ONCE`` at most, those of a cluster one after another."""
        with closing(ColumnFile(self.folder)) as own:
            origin = self.order[members.entity]
            for name in COLUMNS:
                own.append(name, self.columns.read(name)[origin])
            del origin
            for first, last in members.parts(ROWS_AT_ONCE):
                values = {name: own.read(name, first, last) for name in COLUMNS}
                yield from self._frames(method, members.part(first, last), values)

    def _frames(self, method: str, members: Members, values: dict[str, npt.NDArray[Any]]) -> Iterator[pd.DataFrame]:
        preference = Preference(*(values[name] for name in PREFERENCE))
        kept = np.flatnonzero(members.is_kept)
        clusters = [row_id("duplicate_cluster", method, name) for name in _smallest_ids(preference, kept)]
        cluster = np.cumsum(members.is_kept) - 1
        reasons = np.full(members.entity.size, None, dtype=object)
        reasons[kept] = preference.reasons(kept, kept + 1)
        kinds = copy_kinds(members, _prefixes_of(values["handle"], self.openings), values["linked"])
        is_kept, size = members.is_kept, members.size
        for first in range(0, members.entity.size, ROWS_AT_ONCE):
            some = slice(first, first + ROWS_AT_ONCE)
            ids = _texts_of(preference.id_high[some], preference.id_low[some])
            yield frame(
                {
                    "cluster_id": [clusters[number] for number in cluster[some].tolist()],
                    "entity_type": [self.kind] * len(ids),
                    "entity_id": ids,
                    "dialogue_id": [self.dialogue_ids[number] for number in values["dialogue"][some].tolist()],
                    "method": [method] * len(ids),
                    "similarity": members.similarity[some],
                    "is_kept": is_kept[some],
                    "keep_reason": reasons[some].tolist(),
                    "copy_kind": kinds[some].tolist(),
                    "cluster_size": size[some],
                    "text_length": preference.length[some],
                }
            )


def _smallest_ids(members: Preference, starts: npt.NDArray[np.integer[Any]]) -> list[str]:
    """Return the smallest id of each cluster; ``starts`` says where they begin."""
    high = np.minimum.reduceat(members.id_high, starts)
    sizes = np.diff(np.append(starts, members.id_high.size))
    is_smallest = members.id_high == np.repeat(high, sizes)
    low = np.where(is_smallest, members.id_low, np.iinfo(np.uint64).max)
    return _texts_of(high, np.minimum.reduceat(low, starts))


def _texts_of(high: _U64, low: _U64) -> list[str]:
    """Return UUIDs as texts."""
    digits = np.stack((high, low), axis=1).astype(">u8").tobytes().hex()
    texts = [digits[start : start + 32] for start in range(0, len(digits), 32)]
    return [f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}" for text in texts]


def _prefixes_of(handles: npt.NDArray[np.int64], openings: _U64) -> _U64:
    prefixes = np.maximum(handles, 0).astype(np.uint64)
    is_opening = handles < 0
    prefixes[is_opening] = openings[-1 - handles[is_opening]]
    return prefixes
