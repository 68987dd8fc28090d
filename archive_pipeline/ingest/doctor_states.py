"""The dialogues that a doctor has met: which state of each an import would end with, and what that has."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from archive_pipeline.ingest.dialogue_values import fingerprint_of
from archive_pipeline.ingest.prepare import PreparedDialogue
from archive_pipeline.ingest.seen import Again, Seen, compare

_HASH_BYTES: Final = 8


@dataclass(slots=True)
class _State:
    """The state of a dialogue in one vintage: hashes of its messages' ids end to end, and its anomalies if any."""

    seen: Seen
    message_hashes: bytes
    counts: Counter[str] | None


@dataclass(frozen=True, slots=True)
class Met:
    """What meeting a dialogue changed.

    Attributes:
        first: the state that was met before in the same vintage; None if there was none.
        again: what the state is, compared with that.
        is_new: the dialogue was not met before, in any vintage.
        messages: how many messages the dialogue has more than before.
        counts: its anomalies, as an import would count them for writing it; None if it would not.
    """

    first: Seen | None
    now: Seen
    again: Again | None
    is_new: bool
    messages: int
    counts: Counter[str] | None


class MetDialogues:
    """The dialogues that were met, by their row ids; a dialogue has one state in each vintage."""

    def __init__(self) -> None:
        self._states: defaultdict[str, dict[str, _State]] = defaultdict(dict)

    def meet(self, dialogue: PreparedDialogue) -> Met:
        """Take note of a dialogue, as an import does: what comes again is written if it is of a later time."""
        record = dialogue.record
        now = Seen(record.locator, record.updated_at, fingerprint_of(dialogue)[: 2 * _HASH_BYTES])
        states = self._states[dialogue.id]
        known = states.get(record.vintage)
        again = compare(now, known.seen) if known else None
        first = known.seen if known else None
        if again not in (None, Again.NEWER):
            return Met(first, now, again, is_new=False, messages=0, counts=None)
        before, is_new = len(_messages(states)), not states
        hashes = b"".join(_hash(message.source_id) for message in dialogue.messages)
        states[record.vintage] = _State(now, hashes, dialogue.counts or None)
        # What is in several vintages is written as they say it together.
        counts = _most(states)
        return Met(first, now, again, is_new=is_new, messages=len(_messages(states)) - before, counts=counts)


def _hash(source_id: str) -> bytes:
    return hashlib.blake2b(source_id.encode(), digest_size=_HASH_BYTES).digest()


def _messages(states: dict[str, _State]) -> AbstractSet[bytes]:
    """Return the hashes of a dialogue's messages, of all vintages."""
    return {
        state.message_hashes[start : start + _HASH_BYTES]
        for state in states.values()
        for start in range(0, len(state.message_hashes), _HASH_BYTES)
    }


def _most(states: dict[str, _State]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for state in states.values():
        counts |= state.counts or Counter()
    return counts
