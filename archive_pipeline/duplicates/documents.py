"""The texts that are compared: those of messages and of exchanges that are long enough to mean something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.derive.content_hashes import joined_hashes
from archive_pipeline.derive.exchange_runs import exchange_runs_of
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.domain.batch import BLANK_LINE, NO_TIME, DialogueBatch
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.text.normalization import JOINERS, normalize, sha256
from archive_pipeline.text.simhash import WordHashes, word_hashes

# Below both limits a text ("yes, go on") is said again without being a copy.
SHORTEST_WORDS: Final = 5
SHORTEST_CHARACTERS: Final = 40
_DIGEST_HEX: Final = 32
_SAID: Final = frozenset({"user", "assistant"})

Digests = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Documents:
    """The compared texts of one kind of entity (messages, or exchanges) of a batch, column by column.

    Attributes:
        entity_id: UUID of the entity, its first and its last 64 bits; shape (n, 2).
        dialogue: position of its dialogue in the batch.
        length: characters of its text.
        created_at: microseconds since 1970 UTC, ``NO_TIME`` if unknown; of an exchange the latest of its messages.
        is_on_active_path: of an exchange: its last message is.
        message: position in the batch of the message whose path is the entity's: itself, or the last one.
        digests: per normalisation, the first 128 bits of the SHA-256 of the text; shape (n, 2).
        words: hashes of the words of the text under ``full``.
    """

    entity_id: npt.NDArray[np.uint64]
    dialogue: npt.NDArray[np.int64]
    length: npt.NDArray[np.int64]
    created_at: npt.NDArray[np.int64]
    is_on_active_path: npt.NDArray[np.bool_]
    message: npt.NDArray[np.int64]
    digests: dict[Normalization, Digests]
    words: WordHashes

    def __len__(self) -> int:
        return len(self.entity_id)


@dataclass(frozen=True)
class _Texts:
    """The texts of a batch, and what is computed of each once for messages and exchanges."""

    positions: list[int]
    lengths: list[int]
    normalized: dict[Normalization, list[bytes]]
    hashes: dict[Normalization, list[str | None]]
    words: WordHashes


@dataclass(frozen=True)
class _Entities:
    """Entities with the texts that make up each, by number."""

    entity_id: list[str]
    message: list[int]
    created_at: list[int]
    texts: list[list[int]]


def documents(batch: DialogueBatch, normalizations: frozenset[Normalization]) -> dict[str, Documents]:
    """Return the compared texts of the batch by entity type (``message``, ``exchange``).

    Args:
        batch: the dialogues.
        normalizations: those that exact copies are looked for under; ``full`` is always computed.
    """
    texts = _texts(batch, normalizations | {Normalization.FULL})
    return {
        "message": _documents(batch, texts, _messages(batch, texts)),
        "exchange": _documents(batch, texts, _exchanges(batch, texts)),
    }


def _texts(batch: DialogueBatch, normalizations: frozenset[Normalization]) -> _Texts:
    positions = [position for position, text in enumerate(batch.text) if text is not None]
    texts = [text for text in batch.text if text is not None]
    normalized = {kind: normalize(texts, kind) for kind in sorted(normalizations)}
    return _Texts(
        positions,
        [len(text) for text in texts],
        normalized,
        {kind: [sha256(text) for text in encoded] for kind, encoded in normalized.items()},
        word_hashes(normalized[Normalization.FULL]),
    )


def _messages(batch: DialogueBatch, texts: _Texts) -> _Entities:
    times: list[int] = batch.created_at.tolist()
    return _Entities(
        [batch.message_ids[position] for position in texts.positions],
        texts.positions,
        [times[position] for position in texts.positions],
        [[number] for number in range(len(texts.positions))],
    )


def _exchanges(batch: DialogueBatch, texts: _Texts) -> _Entities:
    number = {position: index for index, position in enumerate(texts.positions)}
    times: list[int] = batch.created_at.tolist()
    runs = exchange_runs_of(batch)
    found = _Entities([], [], [], [])
    said = [time if role in _SAID else NO_TIME for role, time in zip(batch.role, times, strict=True)]
    latest = runs.summed(said, max)
    for index, last in enumerate(runs.last):
        if batch.dialogue[last] in runs.too_large:  # its exchanges cannot be built either
            continue
        own = [number[position] for position in (*runs.user_texts_of(index), *runs.assistant_texts_of(index))]
        if own:
            found.entity_id.append(runs.ids[index])
            found.message.append(last)
            found.created_at.append(latest[index])
            found.texts.append(own)
    return found


def _documents(batch: DialogueBatch, texts: _Texts, entities: _Entities) -> Documents:
    words = texts.words.join(entities.texts)
    chosen = _long_enough(texts, entities, np.diff(words.offsets))
    members = [entities.texts[index] for index in chosen.tolist()]
    message = np.array(entities.message, dtype=np.int64)[chosen]
    return Documents(
        entity_id=halves_of([entities.entity_id[index].replace("-", "") for index in chosen.tolist()]),
        dialogue=np.array(batch.dialogue, dtype=np.int64)[message],
        length=np.array(
            [sum(texts.lengths[n] for n in group) + len(BLANK_LINE) * (len(group) - 1) for group in members],
            dtype=np.int64,
        ),
        created_at=np.array(entities.created_at, dtype=np.int64)[chosen],
        is_on_active_path=np.array(forest_of(batch).on_active_path, dtype=np.bool_)[message],
        message=message,
        digests={
            kind: _digests(joined_hashes(members, encoded, texts.hashes[kind], JOINERS[kind]))
            for kind, encoded in texts.normalized.items()
        },
        words=texts.words.join(members),
    )


def _long_enough(texts: _Texts, entities: _Entities, word_counts: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    enough = word_counts >= SHORTEST_WORDS
    full = texts.normalized[Normalization.FULL]
    for index in np.flatnonzero(~enough & (word_counts > 0)).tolist():
        joined = JOINERS[Normalization.FULL].join(full[number] for number in entities.texts[index] if full[number])
        enough[index] = len(joined.decode()) >= SHORTEST_CHARACTERS
    return np.flatnonzero(enough)


def _digests(hashes: list[str | None]) -> Digests:
    return halves_of([value[:_DIGEST_HEX] for value in hashes if value is not None])


def halves_of(digits: list[str]) -> npt.NDArray[np.uint64]:
    """Return 32 hexadecimal digits each as two numbers; shape (n, 2)."""
    return np.frombuffer(bytes.fromhex("".join(digits)), dtype=">u8").astype(np.uint64).reshape(-1, 2)
