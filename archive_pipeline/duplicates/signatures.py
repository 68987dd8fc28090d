"""What is kept of the compared texts of a batch: a pure function of it, so batches can be taken anywhere.

Of a text that is some 200 bytes (its digests, the keys of its bands, what decides which copy is kept) and its shingles,
eight bytes a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.duplicates.clusters import Preference
from archive_pipeline.duplicates.documents import Digests, Documents, documents
from archive_pipeline.duplicates.minhash import BANDS, band_keys
from archive_pipeline.duplicates.paths import NO_PREFIX, Openings, openings_of
from archive_pipeline.duplicates.runs import ResultSets, result_sets
from archive_pipeline.duplicates.shingles import ShingleSets, offsets_of, shingle_sets
from archive_pipeline.duplicates.similarity import SMALLEST_SET
from archive_pipeline.text.simhash import WordHashes

# Sets that are computed at once.
_TEXTS_PER_GROUP: Final = 10_000
_NOT_LINKED: Final[Mapping[str, int]] = {}

_Index = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TextSignatures:
    """What is kept of the texts of one kind of entity, an entry per entity.

    Attributes:
        preference: what decides which copy is kept.
        dialogue: position of the entity's dialogue in the batch.
        handle: of the message whose path is the entity's (`Openings`).
        linked: ``linked_id`` of that message, ``NO_PREFIX`` for none.
        digests: per normalisation, of the text; shape (n, 2).
        has_shingles: whether the text is long enough to be compared by shingles.
        keys: of the bands of those texts; shape (texts with shingles, ``BANDS``).
        shingles: of those texts.
    """

    preference: Preference
    dialogue: _Index
    handle: _Index
    linked: npt.NDArray[np.uint64]
    digests: Mapping[Normalization, Digests]
    has_shingles: npt.NDArray[np.bool_]
    keys: npt.NDArray[np.uint32]
    shingles: ShingleSets


@dataclass(frozen=True)
class Signatures:
    """What is kept of a batch; it can be pickled.

    Attributes:
        dialogue_ids: the dialogues.
        messages: how many they have.
        openings: of the messages' paths.
        texts: by kind of entity; one without compared texts is left out.
        results: of tools, by which runs of one task are known.
    """

    dialogue_ids: list[str]
    messages: int
    openings: Openings
    texts: Mapping[str, TextSignatures]
    results: ResultSets


def signatures_of(
    batch: DialogueBatch, normalizations: Iterable[Normalization], linked: Mapping[str, int] = _NOT_LINKED
) -> Signatures:
    """Return what is kept of the messages, exchanges and results of a batch.

    Args:
        batch: some dialogues.
        normalizations: what exact copies are equal under.
        linked: of dialogues with exact links, message -> ``linked_id``: equal ones are copies of a shared prefix.
    """
    handles, openings = openings_of(batch)
    ids = np.array([linked.get(message, NO_PREFIX) for message in batch.message_ids], dtype=np.uint64)
    found = documents(batch, frozenset(normalizations))
    texts = {kind: _text_signatures(each, handles, ids) for kind, each in found.items() if len(each)}
    return Signatures(batch.dialogue_ids, len(batch), openings, texts, result_sets(batch))


def _text_signatures(found: Documents, handles: _Index, linked: npt.NDArray[np.uint64]) -> TextSignatures:
    groups = [_Group.of(shingle_sets(words)) for words in _groups(found.words)]
    return TextSignatures(
        Preference(found.is_on_active_path, found.length, found.created_at, *found.entity_id.T),
        found.dialogue,
        handles[found.message],
        linked[found.message],
        found.digests,
        np.concatenate([group.is_large for group in groups]),
        np.concatenate([np.empty((0, BANDS), dtype=np.uint32), *(group.keys for group in groups)]),
        ShingleSets(
            np.concatenate([group.large.hashes for group in groups]),
            offsets_of(np.concatenate([np.diff(group.large.offsets) for group in groups])),
        ),
    )


@dataclass(frozen=True)
class _Group:
    """The sets of some texts: which are large enough, these, and the keys of their bands."""

    is_large: npt.NDArray[np.bool_]
    large: ShingleSets
    keys: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, sets: ShingleSets) -> _Group:
        sizes: npt.NDArray[Any] = np.diff(sets.offsets)
        is_large = sizes >= SMALLEST_SET
        large = ShingleSets(sets.hashes[np.repeat(is_large, sizes)], offsets_of(sizes[is_large]))
        return cls(is_large, large, band_keys(large))


def _groups(words: WordHashes) -> Iterator[WordHashes]:
    for first in range(0, words.offsets.size - 1, _TEXTS_PER_GROUP):
        offsets = words.offsets[first : first + _TEXTS_PER_GROUP + 1]
        yield WordHashes(words.hashes[offsets[0] : offsets[-1]], offsets - offsets[0])
