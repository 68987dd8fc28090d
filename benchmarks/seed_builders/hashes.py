"""The seed's ``HashBuilder``: SHA-256 and a simhash of every message and exchange, one scope after the other."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from uuid import UUID

from sqlalchemy.orm import Session, selectinload

from benchmarks.seed_builders.models import ContentHash, Exchange, ExchangeContent, Message
from benchmarks.seed_builders.trees import BATCH_SIZE


class HashBuilder:
    """Builds content hashes for deduplication."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def build(
        self,
        dialogue_ids: Sequence[UUID],
        entity_type: str = "exchange",
        normalization: str = "none",
        batch_size: int = BATCH_SIZE,
    ) -> None:
        """Build content hashes for the entities of the dialogues, committing once a batch."""
        texts_of = self._message_texts if entity_type == "message" else self._exchange_texts
        for i, dialogue_id in enumerate(dialogue_ids):
            for entity_id, scope, text in texts_of(dialogue_id):
                normalized = self._normalize_text(text, normalization)
                content_hash = ContentHash(
                    entity_type=entity_type,
                    entity_id=entity_id,
                    hash_scope=scope,
                    normalization=normalization,
                    hash_sha256=hashlib.sha256(normalized.encode()).hexdigest(),
                    hash_simhash=self._compute_simhash(normalized),
                )
                self.session.add(content_hash)
            if (i + 1) % batch_size == 0:
                self.session.commit()
        self.session.commit()

    def _message_texts(self, dialogue_id: UUID) -> Iterator[tuple[UUID, str, str]]:
        messages = (
            self.session.query(Message)
            .options(selectinload(Message.content_parts))
            .filter(Message.dialogue_id == dialogue_id)
            .filter(Message.deleted_at.is_(None))
            .all()
        )
        for message in messages:
            text = "\n".join(part.text_content for part in message.content_parts if part.text_content)
            if text:
                yield message.id, "full", text

    def _exchange_texts(self, dialogue_id: UUID) -> Iterator[tuple[UUID, str, str]]:
        contents = (
            self.session.query(ExchangeContent)
            .join(Exchange, Exchange.id == ExchangeContent.exchange_id)
            .filter(Exchange.dialogue_id == dialogue_id)
            .all()
        )
        for content in contents:
            scopes = (("full", content.full_text), ("user", content.user_text), ("assistant", content.assistant_text))
            for scope, text in scopes:
                if text:
                    yield content.exchange_id, scope, text

    def _normalize_text(self, text: str, normalization: str) -> str:
        """Normalize text before hashing."""
        if normalization == "none":
            return text
        if normalization == "lowercase":
            return text.lower()
        if normalization == "whitespace":
            text = re.sub(r"\s+", " ", text)
            return text.strip()
        if normalization == "full":
            text = text.lower()
            text = re.sub(r"\s+", " ", text)
            text = re.sub(r"[^\w\s]", "", text)
            return text.strip()
        return text

    def _compute_simhash(self, text: str) -> str:
        """Compute SimHash for fuzzy matching."""
        tokens = text.lower().split()
        v = [0] * 64
        for token in tokens:
            token_hash = int(hashlib.md5(token.encode()).hexdigest(), 16)  # noqa: S324 - as the seed has it
            for i in range(64):
                bit = (token_hash >> i) & 1
                v[i] += 1 if bit else -1
        fingerprint = 0
        for i in range(64):
            if v[i] > 0:
                fingerprint |= 1 << i
        return format(fingerprint, "016x")
