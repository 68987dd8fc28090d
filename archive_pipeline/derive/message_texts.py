"""What several tables need of the texts of messages, computed once per batch."""

from __future__ import annotations

from archive_pipeline.domain.batch import BLANK_LINE, DialogueBatch
from archive_pipeline.text.languages import MOST_CHARACTERS, UNKNOWN, text_languages
from archive_pipeline.text.normalization import sha256
from archive_pipeline.text.words import count_words


def word_counts(batch: DialogueBatch) -> list[int | None]:
    """Per message, the number of words of its text (seed: what ``str.split`` yields), None without text."""
    return batch.computed(_count_words)


def text_hashes(batch: DialogueBatch) -> list[str | None]:
    """Per message, the SHA-256 of its text, None without text."""
    return batch.computed(_hash_texts)


def dialogue_languages(batch: DialogueBatch) -> list[str]:
    """Per dialogue, the language of its beginning: that of texts which are too short to tell themselves."""
    return batch.computed(_languages)


def _languages(batch: DialogueBatch) -> list[str]:
    beginnings: list[list[str]] = [[] for _ in batch.dialogue_ids]
    lengths = [0] * len(batch.dialogue_ids)
    for dialogue, text in zip(batch.dialogue, batch.text, strict=True):
        if text is not None and lengths[dialogue] < MOST_CHARACTERS:
            beginnings[dialogue].append(text[:MOST_CHARACTERS])
            lengths[dialogue] += len(text)
    return text_languages([(BLANK_LINE.join(texts), UNKNOWN) for texts in beginnings])


def _count_words(batch: DialogueBatch) -> list[int | None]:
    return count_words(batch.text)


def _hash_texts(batch: DialogueBatch) -> list[str | None]:
    return [None if text is None else sha256(text.encode()) for text in batch.text]
