"""Dagster's record of a backfill in little room, and the part of it that the daemon works on at a time.

Dagster's own record names every partition key of every asset up to four times (targeted, requested, materialised,
failed), and each turn of the daemon makes several copies of it: some two gigabytes for ten assets of 100,000 dialogues.
Here the keys are kept once, in the order of the partitions, and each set of them is a row of marks.

The daemon is shown a part of a large backfill: either the keys that runs are at work on, or the next ones to ask runs
for. What it makes of the part is put back into the whole. Rules that make the parts add up to what Dagster does to the
whole at once:

- A key belongs to all assets of the backfill at once, since derived assets share partitions and backfill policy.
- A part to ask runs for holds keys that no run was asked for. It looks like a backfill that has not begun.
- A part at work holds all keys with an asset that was asked for and is not materialised, failed ones too, which a
  retried run may still materialise.
- The event that the daemon has looked at last counts for the whole only if the part held everything at work.
- Assets without partitions, which look at the whole archive, are asked for when all keys have ended.
- A part that is done ends the backfill only if nothing is waiting.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
import orjson
from dagster import AssetKey
from dagster._core.definitions.assets.graph.asset_graph_subset import AssetGraphSubset
from dagster._core.definitions.partitions.subset import DefaultPartitionsSubset, PartitionsSubset
from dagster._core.definitions.timestamp import TimestampWithTimezone
from dagster._core.execution.asset_backfill import AssetBackfillData

# Asked for at once. The daemon takes some kilobytes for each of them during its turn.
KEYS_ASKED_FOR: Final = 10_000
# More are asked for when fewer are at work: two turns of the daemon, half a minute each, must not empty the queue.
FEWEST_AT_WORK: Final = 15_000

TARGET: Final = "target_subset"
REQUESTED: Final = "requested_subset"
MATERIALIZED: Final = "materialized_subset"
FAILED: Final = "failed_and_downstream_subset"
_KINDS: Final = (TARGET, REQUESTED, MATERIALIZED, FAILED)
# Dagster's earlier form of a record, which has room for a text. Without this code it is a backfill of nothing.
_OURS: Final = "archive_pipeline"
_VERSION: Final = 1
_EMPTY: Final[dict[str, Any]] = {"partitions_subsets_by_asset_key": {}, "non_partitioned_asset_keys": []}

Marks = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class BackfillRecord:
    """A backfill's targets and what became of them.

    Attributes:
        packed_keys: the targeted keys, as stored.
        marks: (which set, asset) -> for each key whether it is in the set.
        alone: which set -> the assets without partitions in it.
        latest_storage_id: the event that the daemon has looked at last.
        began: seconds since 1970.
    """

    packed_keys: str
    marks: Mapping[tuple[str, AssetKey], Marks]
    alone: Mapping[str, AbstractSet[AssetKey]]
    latest_storage_id: int | None
    began: float

    @property
    def keys(self) -> tuple[str, ...]:
        """The targeted keys, in the order of the partitions."""
        return _unpacked(self.packed_keys)

    def any_of(self, kind: str) -> Marks:
        """Return which keys are in the set for any asset."""
        return _any((self.marks[name] for name in self.marks if name[0] == kind), len(self.keys))

    def asked_and_missing(self) -> Marks:
        """Return the keys with an asset that was asked for and is not materialised."""
        return self.any_of(REQUESTED) & self._missing([MATERIALIZED])

    def at_work(self) -> Marks:
        """Return the keys with an asset that was asked for and has neither been materialised nor failed."""
        return self.any_of(REQUESTED) & self._missing([MATERIALIZED, FAILED])

    def waiting(self) -> Marks:
        """Return the keys that no run was asked for."""
        return self.any_of(TARGET) & ~self.any_of(REQUESTED)

    def alone_waiting(self) -> AbstractSet[AssetKey]:
        """Return the assets without partitions that no run was asked for and that are not below a failed one."""
        return self.alone[TARGET] - self.alone[REQUESTED] - self.alone[FAILED]

    def alone_at_work(self) -> AbstractSet[AssetKey]:
        """Return the assets without partitions that have neither been materialised nor failed."""
        return self.alone[TARGET] - self.alone[MATERIALIZED] - self.alone[FAILED]

    def is_waiting(self) -> bool:
        """Tell whether runs are still to be asked for."""
        return bool(self.waiting().any()) or bool(self.alone_waiting())

    def _missing(self, kinds: Collection[str]) -> Marks:
        targets = {asset: marks for (kind, asset), marks in self.marks.items() if kind == TARGET}
        size = len(self.keys)
        ended = {
            asset: _any((self.marks[kind, asset] for kind in kinds if (kind, asset) in self.marks), size)
            for asset in targets
        }
        return _any((marks & ~ended[asset] for asset, marks in targets.items()), size)


def can_be_packed(data: AssetBackfillData) -> bool:
    """Tell whether the backfill is of partitions, all of them named."""
    subsets: list[AssetGraphSubset] = [getattr(data, kind) for kind in _KINDS]
    named = [isinstance(part, DefaultPartitionsSubset) for subset in subsets for part in _parts(subset).values()]
    return all(named) and bool(targeted_keys(data))


def targeted_keys(data: AssetBackfillData) -> set[str]:
    """Return the keys that the backfill targets for any asset."""
    return set().union(*(part.get_partition_keys() for part in _parts(data.target_subset).values()))


def packed(data: AssetBackfillData, keys: Iterable[str]) -> BackfillRecord:
    """Return the record of a backfill; ``keys`` are its targeted keys in the order of the partitions."""
    packed_keys = base64.b85encode(zlib.compress("\n".join(keys).encode(), 1)).decode()
    empty = BackfillRecord(packed_keys, {}, _alone(data), data.latest_storage_id, data.backfill_start_timestamp)
    return replace(empty, marks=_marks(empty, data))


def whole(record: BackfillRecord) -> AssetBackfillData:
    """Return all of the backfill as Dagster has it; equal sets of keys are one object."""
    return _data(record, None, record.alone[TARGET], has_asked=bool(record.any_of(REQUESTED).any()))


def part(record: BackfillRecord, *, may_ask: bool) -> AssetBackfillData:
    """Return the part of the backfill that the daemon is to look at now.

    Args:
        record: the whole.
        may_ask: the backfill was not cancelled.
    """
    waiting = record.waiting()
    if may_ask and waiting.any() and np.count_nonzero(record.at_work()) < FEWEST_AT_WORK:
        chosen = np.zeros_like(waiting)
        chosen[np.flatnonzero(waiting)[:KEYS_ASKED_FOR]] = True
        return _data(record, chosen, frozenset(), has_asked=False)
    if record.at_work().any():
        return _data(record, record.asked_and_missing(), frozenset(), has_asked=True)
    has_asked = bool(record.alone[REQUESTED])
    if record.alone_at_work() and (has_asked or may_ask):
        return _data(record, np.zeros_like(waiting), record.alone[TARGET], has_asked=has_asked)
    return _data(record, record.asked_and_missing(), record.alone[FAILED], has_asked=True)


def updated(record: BackfillRecord, data: AssetBackfillData) -> BackfillRecord:
    """Return the record with what the daemon made of a part, or anybody of the whole."""
    new = _marks(record, data)
    inside = _any((marks for (kind, _), marks in new.items() if kind == TARGET), len(record.keys))
    marks = dict(record.marks)
    for kind, asset in {*marks, *new} - {name for name in marks if name[0] == TARGET}:
        before = marks.get((kind, asset), np.zeros_like(inside))
        after = new.get((kind, asset), np.zeros_like(inside))
        # Runs of an interrupted turn are asked for by their tags, wherever their keys are.
        marks[kind, asset] = (before & ~inside) | (after if kind == REQUESTED else after & inside)
    shown = data.target_subset.non_partitioned_asset_keys
    alone = {kind: (record.alone[kind] - shown) | (own & shown) for kind, own in _alone(data).items()}
    has_seen_all = not (record.at_work() & ~inside).any()
    latest = data.latest_storage_id if has_seen_all else record.latest_storage_id
    return replace(record, marks=marks, alone=alone, latest_storage_id=latest)


def to_text(record: BackfillRecord) -> str:
    """Return the record as JSON, in a form that Dagster without this code takes for a backfill of nothing."""
    rows: dict[bytes, int] = {}
    names = [
        [kind, asset.to_user_string(), rows.setdefault(np.packbits(marks).tobytes(), len(rows))]
        for (kind, asset), marks in record.marks.items()
    ]
    own = {
        "version": _VERSION,
        "keys": record.packed_keys,
        "sets": names,
        "marks": base64.b85encode(zlib.compress(b"".join(rows))).decode(),
        "alone": {kind: sorted(asset.to_user_string() for asset in assets) for kind, assets in record.alone.items()},
        "latest_storage_id": record.latest_storage_id,
        "began": record.began,
    }
    of_dagster = {
        "requested_runs_for_target_roots": True,
        "latest_storage_id": record.latest_storage_id,
        **{f"serialized_{kind}_subset": _EMPTY for kind in ("target", "requested", "materialized", "failed")},
    }
    return orjson.dumps({**of_dagster, _OURS: own}).decode()


def from_text(text: str) -> BackfillRecord | None:
    """Return the record; None if it is one of Dagster's own."""
    own = orjson.loads(text).get(_OURS)
    if own is None:
        return None
    size = len(_unpacked(own["keys"]))
    width = -(-size // 8)
    bits = zlib.decompress(base64.b85decode(own["marks"]))
    marks = {
        (kind, AssetKey.from_user_string(name)): np.unpackbits(
            np.frombuffer(bits, np.uint8, width, row * width), count=size
        ).astype(np.bool_)
        for kind, name, row in own["sets"]
    }
    alone = {kind: frozenset(map(AssetKey.from_user_string, names)) for kind, names in own["alone"].items()}
    return BackfillRecord(own["keys"], marks, alone, own["latest_storage_id"], own["began"])


@lru_cache(maxsize=2)
def _unpacked(packed_keys: str) -> tuple[str, ...]:
    text = zlib.decompress(base64.b85decode(packed_keys)).decode()
    return tuple(text.split("\n")) if text else ()


@lru_cache(maxsize=2)
def _places(packed_keys: str) -> dict[str, int]:
    return {key: place for place, key in enumerate(_unpacked(packed_keys))}


def _parts(subset: AssetGraphSubset) -> Mapping[AssetKey, PartitionsSubset[str]]:
    return subset.partitions_subsets_by_asset_key


def _graph_subset(parts: Mapping[AssetKey, PartitionsSubset[str]], alone: AbstractSet[AssetKey]) -> AssetGraphSubset:
    empty = AssetGraphSubset.create_empty_subset()
    return empty._replace(partitions_subsets_by_asset_key=parts, non_partitioned_asset_keys=alone)


def _alone(data: AssetBackfillData) -> dict[str, AbstractSet[AssetKey]]:
    return {kind: frozenset(getattr(data, kind).non_partitioned_asset_keys) for kind in _KINDS}


def _any(rows: Iterable[Marks], size: int) -> Marks:
    result = np.zeros(size, np.bool_)
    for row in rows:
        result |= row
    return result


def _marks(record: BackfillRecord, data: AssetBackfillData) -> dict[tuple[str, AssetKey], Marks]:
    """Return the sets of the data as marks of the record's keys; others, which were never targeted, are left out."""
    places = _places(record.packed_keys)
    found: dict[tuple[str, AssetKey], Marks] = {}
    for kind in _KINDS:
        for asset, subset in _parts(getattr(data, kind)).items():
            marks = np.zeros(len(places), np.bool_)
            marks[[places[key] for key in subset.get_partition_keys() if key in places]] = True
            found[kind, asset] = marks
    return found


def _data(
    record: BackfillRecord, chosen: Marks | None, alone: AbstractSet[AssetKey], *, has_asked: bool
) -> AssetBackfillData:
    """Return the backfill as Dagster has it, of chosen keys (None: all) and chosen assets without partitions."""
    keys = record.keys
    made: dict[bytes, DefaultPartitionsSubset] = {}
    subsets: dict[str, dict[AssetKey, PartitionsSubset[str]]] = {kind: {} for kind in _KINDS}
    for (kind, asset), marks in record.marks.items():
        shown = marks if chosen is None else marks & chosen
        name = np.packbits(shown).tobytes()
        if name not in made:
            made[name] = DefaultPartitionsSubset({keys[place] for place in np.flatnonzero(shown)})
        if made[name].subset:
            subsets[kind][asset] = made[name]
    return AssetBackfillData(
        **{kind: _graph_subset(subsets[kind], record.alone[kind] & alone) for kind in _KINDS},
        requested_runs_for_target_roots=has_asked,
        latest_storage_id=record.latest_storage_id,
        backfill_start_time=TimestampWithTimezone(record.began, "UTC"),
    )
