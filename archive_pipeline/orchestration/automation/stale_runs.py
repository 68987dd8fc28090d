"""Which stale keys to build next, in runs of which size, and which to leave alone: decisions only, no Dagster.

A dialogue that cannot be built is quarantined by its run, which succeeds. What is left are runs that fail as a whole,
such as one whose process a dialogue made run out of memory. The first attempt at a key is in a run of many. Keys
that are still stale afterwards, with the same content and by the same code, were in a run that failed; they are tried
again in many small runs, so that the cause is told from those that shared its run. After three attempts a key is left
alone until its content or the code changes; the nightly schedule tries it once a night.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

import numpy as np
import orjson
from more_itertools import chunked

from archive_pipeline.orchestration.partitions.stale_keys import StaleKey

# Dagster records what each run is going to build before it is queued, which takes a second or two for a thousand keys,
# and no other sensor ticks meanwhile.
KEYS_PER_TICK: Final = 20_000
# Second and third attempts are few keys; the more runs, the fewer neighbours of a dialogue that kills its run.
RUNS_PER_TICK: Final = 50
ATTEMPTS: Final = 3
# Attempts of a key that was given up and reported.
_REPORTED: Final = ATTEMPTS + 1
_VERSION: Final = 2


@dataclass(frozen=True)
class SensorCursor:
    """What a tick knows of earlier ones.

    Attributes:
        attempts: digest of a stale key -> how often it was tried. Two keys of a hundred thousand share a digest now and
            then; one of them is tried less often.
        quiet_at: counters of changes when nothing was left to do; None if there was.
        summarised: the import after which the summary was last requested.
        is_summary_due: something may have been built since.
        documents: state of the documents when the runs that follow them were last requested.
        built: state of what is built when the summary was last requested.
    """

    attempts: Mapping[int, int] = field(default_factory=dict)
    quiet_at: str | None = None
    summarised: str = ""
    is_summary_due: bool = False
    documents: str = ""
    built: str = ""


@dataclass(frozen=True)
class AttemptPlan:
    """What to do about the stale keys.

    Attributes:
        keys: what to build now, in that order.
        keys_per_run: how many of them in one run.
        attempt: which attempt it is, from 1.
        newly_exhausted: keys that failed for the last time, to be reported once.
        exhausted_count: how many keys are not tried any more.
        attempts: for the state.
    """

    keys: list[str]
    keys_per_run: int
    attempt: int
    newly_exhausted: list[str]
    exhausted_count: int
    attempts: dict[int, int]


def plan(stale: Sequence[StaleKey], keys_per_run: int) -> AttemptPlan:
    """Decide what to build. Nothing must be under way: what was tried and is still stale has failed.

    Args:
        stale: in the order to build them; all stale keys that were tried before, and at least the first
            ``KEYS_PER_TICK`` of the others.
        keys_per_run: of a first attempt.
    """
    newly_exhausted = [item for item in stale if item.attempts == ATTEMPTS]
    exhausted_count = sum(item.attempts >= ATTEMPTS for item in stale)
    fewest = min((item.attempts for item in stale if item.attempts < ATTEMPTS), default=0)
    chosen = list(islice((item for item in stale if item.attempts == fewest), KEYS_PER_TICK))
    size = keys_per_run if fewest == 0 else max(1, -(-len(chosen) // RUNS_PER_TICK))
    counted = {item.digest: item.attempts for item in stale if item.attempts}
    counted |= dict.fromkeys((item.digest for item in newly_exhausted), _REPORTED)
    counted |= dict.fromkeys((item.digest for item in chosen), fewest + 1)
    return AttemptPlan(
        [item.key for item in chosen],
        size,
        fewest + 1,
        [item.key for item in newly_exhausted],
        exhausted_count,
        counted,
    )


def slices(keys: Sequence[str], size: int) -> Iterator[tuple[str, str]]:
    """Yield first and last key of each run over ``keys``, which are in the order of the partitions."""
    for run in chunked(keys, size):
        yield run[0], run[-1]


def parse_cursor(text: str | None) -> SensorCursor:
    """Return what a cursor says; one that cannot be read says nothing, which costs some attempts more."""
    try:
        document: Any = orjson.loads(text or "{}")
        if document.get("version") != _VERSION:
            return SensorCursor()
        attempts = {digest: int(count) for count, packed in document["attempts"].items() for digest in _unpack(packed)}
        return SensorCursor(
            attempts,
            document["quiet_at"],
            document["summarised"],
            document["is_summary_due"],
            document.get("documents", ""),  # cursors of earlier versions have neither of these
            document.get("built", ""),
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return SensorCursor()


def format_cursor(state: SensorCursor) -> str:
    """Return the cursor: five and a half characters per key that was tried and is still stale."""
    by_count: dict[int, list[int]] = {}
    for digest, count in state.attempts.items():
        by_count.setdefault(count, []).append(digest)
    document = {
        "version": _VERSION,
        "attempts": {str(count): _pack(digests) for count, digests in sorted(by_count.items())},
        "quiet_at": state.quiet_at,
        "summarised": state.summarised,
        "is_summary_due": state.is_summary_due,
        "documents": state.documents,
        "built": state.built,
    }
    return orjson.dumps(document).decode()


def _pack(digests: Sequence[int]) -> str:
    return base64.b64encode(np.sort(np.array(digests, dtype="<u4")).tobytes()).decode()


def _unpack(packed: str) -> list[int]:
    digests: list[int] = np.frombuffer(base64.b64decode(packed, validate=True), dtype="<u4").tolist()
    return digests
