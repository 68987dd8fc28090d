"""Batches that were read, kept for the assets of one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.spilled_batches import SpilledBatches
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import DialogueRef

# Ids and fingerprints.
_Key = tuple[tuple[str, str], ...]


@dataclass
class BatchCache:
    """Batches that were read, so that the assets of one run read each chunk once.

    It fills up to a budget and keeps what it has: evicting the oldest would throw away every chunk just before the
    next asset asks for it. What does not fit is kept in a temporary file, and read again beyond the budget of that.

    Attributes:
        budget: bytes of memory to keep.
        disk_budget: bytes of the temporary file.
    """

    budget: int = 16_000_000
    disk_budget: int = 4_000_000_000
    _batches: dict[_Key, DialogueBatch] = field(default_factory=dict)
    _used: int = 0
    _text_bytes: dict[tuple[str, str], int] = field(default_factory=dict, repr=False)
    _spilled: SpilledBatches = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._spilled = SpilledBatches(self.disk_budget)

    def chunks(self, database: Database, dialogues: Sequence[DialogueRef]) -> Iterator[list[DialogueRef]]:
        """Return the dialogues in chunks; the texts of each are measured once."""
        new = [dialogue for dialogue in dialogues if (dialogue.id, dialogue.fingerprint) not in self._text_bytes]
        measured = DIALOGUES.text_bytes(database, new) if new else {}
        self._text_bytes |= {(each.id, each.fingerprint): measured.get(each.id, 0) for each in new}
        return DIALOGUES.chunks(dialogues, {each.id: self._text_bytes[each.id, each.fingerprint] for each in dialogues})

    def load(self, database: Database, dialogues: Sequence[DialogueRef]) -> DialogueBatch:
        """Return the batch of the given dialogues, with their present content."""
        key = _key_of(dialogues)
        batch = self._batches.get(key)
        if batch is None:
            batch = self._spilled.get(key)
        if batch is None:
            batch = load_batch(database, [dialogue.id for dialogue in dialogues])
            size = batch.memory_bytes
            if self._used + size <= self.budget:
                self._batches[key] = batch
                self._used += size
            else:
                self._spilled.put(key, batch)
        return batch

    def keep_results(self, dialogues: Sequence[DialogueRef], batch: DialogueBatch) -> None:
        """Keep what was computed of the batch of the given dialogues, if that is in the temporary file."""
        self._spilled.put_results(_key_of(dialogues), batch.results)

    def clear(self) -> None:
        """Forget all batches, also those of the temporary file: a run that has ended may be held by what ran it."""
        self._batches.clear()
        self._text_bytes.clear()
        self._used = 0
        self._spilled = SpilledBatches(self.disk_budget)


def _key_of(dialogues: Sequence[DialogueRef]) -> _Key:
    return tuple((dialogue.id, dialogue.fingerprint) for dialogue in dialogues)
