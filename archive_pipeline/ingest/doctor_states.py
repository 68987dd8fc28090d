"""The dialogues that a doctor has met: which state of each an import would end with, and what that has."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from archive_pipeline.domain.records import FULL
from archive_pipeline.domain.vintages import Vintage, vintage
from archive_pipeline.ingest.dialogue_values import fingerprint_of
from archive_pipeline.ingest.layer import could_hold, is_after, is_shown, moment_of, newest_first
from archive_pipeline.ingest.prepare import PreparedDialogue, PreparedMessage
from archive_pipeline.ingest.seen import Again, Seen, compare

_HASH_BYTES: Final = 8


@dataclass(slots=True)
class _State:
    """The state of a dialogue in one vintage, as ``layers`` merges it with those in others, without what messages say.

    Attributes:
        seen: what a state that comes again is compared with.
        rules, moment: of the vintage, and when the state was.
        shown, others: hashes of the ids of messages end to end: of those that are shown to everybody, and of others.
        counts: its anomalies; None if there are none.
    """

    seen: Seen
    rules: Vintage
    moment: datetime | None
    shown: bytes
    others: bytes
    counts: Counter[str] | None

    @classmethod
    def of(cls, dialogue: PreparedDialogue, seen: Seen) -> _State:
        """Return the state of a dialogue."""
        record, hashes = dialogue.record, (bytearray(), bytearray())
        for message in dialogue.messages:
            hashes[is_shown(message.record)].extend(_hash(message))
        rules = vintage(record.source, record.vintage)
        return cls(seen, rules, moment_of(dialogue), bytes(hashes[1]), bytes(hashes[0]), dialogue.counts or None)

    def messages(self) -> dict[bytes, bool]:
        """Return the hashes, and whether the message is shown to everybody."""
        return {
            hashes[start : start + _HASH_BYTES]: hashes is self.shown
            for hashes in (self.shown, self.others)
            for start in range(0, len(hashes), _HASH_BYTES)
        }


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
        before, is_new = _count_messages(states), not states
        states[record.vintage] = _State.of(dialogue, now)
        # What is in several vintages is written as they say it together.
        counts = _most(states)
        return Met(first, now, again, is_new=is_new, messages=_count_messages(states) - before, counts=counts)


def _hash(message: PreparedMessage) -> bytes:
    return hashlib.blake2b(message.source_id.encode(), digest_size=_HASH_BYTES).digest()


def _count_messages(states: Mapping[str, _State]) -> int:
    """Count a dialogue's messages of all vintages, but for those that a later one would have, had none deleted them."""
    whole = states[FULL].messages() if FULL in states else {}
    ordered = sorted(states.values(), key=lambda state: newest_first(state.moment, state.rules))
    met: set[bytes] = set()
    count = 0
    for place, state in enumerate(ordered):
        later = [other.rules for other in ordered[:place] if is_after(other.moment, state.moment)]
        messages = state.messages()
        for name in messages.keys() - met:
            shown = whole.get(name, messages[name])
            count += not any(could_hold(rules, is_shown=shown) for rules in later)
        met |= messages.keys()
    return count


def _most(states: Mapping[str, _State]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for state in states.values():
        counts |= state.counts or Counter()
    return counts
