"""The seed's ``ExchangeBuilder``: exchanges over the ordered messages, their text, their links to sequences."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final
from uuid import UUID, uuid4

from sqlalchemy.orm import Session, selectinload

from benchmarks.seed_builders.models import (
    Exchange,
    ExchangeContent,
    ExchangeMessage,
    LinearSequence,
    Message,
    SequenceExchange,
    SequenceMessage,
)
from benchmarks.seed_builders.trees import BATCH_SIZE

CONTINUATION_PATTERNS: Final = [
    r"^continue$",
    r"^go on$",
    r"^keep going$",
    r"^more$",
    r"^elaborate$",
    r"^\s*$",
]


class ExchangeBuilder:
    """Builds exchanges from message trees."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._contents: dict[UUID, ExchangeContent] = {}
        self._exchanges: dict[UUID, Exchange] = {}

    def build(self, dialogue_ids: Sequence[UUID], batch_size: int = BATCH_SIZE) -> None:
        """Build exchanges for the dialogues, committing once a batch."""
        for i, dialogue_id in enumerate(dialogue_ids):
            self._process_dialogue(dialogue_id)
            if (i + 1) % batch_size == 0:
                self.session.commit()
        self.session.commit()

    def _process_dialogue(self, dialogue_id: UUID) -> None:
        messages = (
            self.session.query(Message)
            .options(selectinload(Message.content_parts))
            .filter(Message.dialogue_id == dialogue_id)
            .filter(Message.deleted_at.is_(None))
            .order_by(Message.created_at.nulls_first(), Message.id)
            .all()
        )
        self._contents = {}
        self._exchanges = {}
        exchanges = self._segment_exchanges(dialogue_id, messages)
        self._link_continuations(exchanges)
        self._link_to_sequences(dialogue_id, exchanges)

    def _segment_exchanges(self, dialogue_id: UUID, messages: list[Message]) -> list[Exchange]:
        """Segment a linear message sequence into exchanges."""
        exchanges = []
        current_exchange_msgs: list[Message] = []
        for message in messages:
            current_exchange_msgs.append(message)
            if message.role == "assistant" and self._is_turn_complete(message, messages):
                exchanges.append(self._create_exchange(dialogue_id=dialogue_id, messages=current_exchange_msgs))
                current_exchange_msgs = []
        if current_exchange_msgs:
            exchanges.append(self._create_exchange(dialogue_id=dialogue_id, messages=current_exchange_msgs))
        return exchanges

    def _is_turn_complete(self, message: Message, messages: list[Message]) -> bool:
        following = messages.index(message) + 1
        return following == len(messages) or messages[following].role == "user"

    def _create_exchange(self, *, dialogue_id: UUID, messages: list[Message]) -> Exchange:
        times = [m.created_at for m in messages if m.created_at is not None]
        exchange = Exchange(
            id=uuid4(),
            dialogue_id=dialogue_id,
            first_message_id=messages[0].id,
            last_message_id=messages[-1].id,
            message_count=len(messages),
            user_message_count=sum(1 for m in messages if m.role == "user"),
            assistant_message_count=sum(1 for m in messages if m.role == "assistant"),
            is_continuation=False,
            merged_count=0,
            started_at=min(times, default=None),
            ended_at=max(times, default=None),
        )
        for position, message in enumerate(messages):
            exchange.exchange_messages.append(ExchangeMessage(message_id=message.id, position=position))
        content = self._create_exchange_content(exchange, messages)
        self._exchanges[exchange.id] = exchange
        self._contents[exchange.id] = content
        self.session.add(exchange)
        self.session.add(content)
        return exchange

    def _create_exchange_content(self, exchange: Exchange, messages: list[Message]) -> ExchangeContent:
        """Aggregate text content for an exchange."""
        user_parts = []
        assistant_parts = []
        for message in messages:
            text = self._extract_text_content(message)
            if message.role == "user":
                user_parts.append(text)
            elif message.role == "assistant":
                assistant_parts.append(text)
        user_text = "\n\n".join(user_parts) if user_parts else None
        assistant_text = "\n\n".join(assistant_parts) if assistant_parts else None
        full_text = "\n\n".join(filter(None, [user_text, assistant_text]))
        return ExchangeContent(
            exchange_id=exchange.id,
            user_text=user_text,
            assistant_text=assistant_text,
            full_text=full_text,
            user_text_hash=self._hash_text(user_text),
            assistant_text_hash=self._hash_text(assistant_text),
            full_text_hash=self._hash_text(full_text),
            user_word_count=len(user_text.split()) if user_text else None,
            assistant_word_count=len(assistant_text.split()) if assistant_text else None,
            total_word_count=len(full_text.split()) if full_text else None,
        )

    def _extract_text_content(self, message: Message) -> str:
        return "\n".join(part.text_content for part in message.content_parts if part.text_content)

    def _hash_text(self, text: str | None) -> str | None:
        return hashlib.sha256(text.encode()).hexdigest() if text else None

    def _is_continuation(self, user_text: str) -> bool:
        """Detect if user message is a continuation prompt."""
        text = user_text.strip().lower()
        for pattern in CONTINUATION_PATTERNS:  # noqa: SIM110 - as the seed has it
            if re.match(pattern, text):
                return True
        return False

    def _get_user_text(self, exchange: Exchange) -> str:
        return self._contents[exchange.id].user_text or ""

    def _get_exchange(self, exchange_id: UUID) -> Exchange:
        return self._exchanges[exchange_id]

    def _link_continuations(self, exchanges: list[Exchange]) -> None:
        """Link continuation exchanges to their predecessors."""
        for i, exchange in enumerate(exchanges):
            if i == 0:
                continue
            user_text = self._get_user_text(exchange)
            if self._is_continuation(user_text):
                exchange.is_continuation = True
                exchange.continuation_of_id = exchanges[i - 1].id
                original = exchanges[i - 1]
                while original.is_continuation and original.continuation_of_id:
                    original = self._get_exchange(original.continuation_of_id)
                original.merged_count += 1

    def _link_to_sequences(self, dialogue_id: UUID, exchanges: list[Exchange]) -> None:
        """Link exchanges to their containing sequences."""
        sequences = self.session.query(LinearSequence).filter(LinearSequence.dialogue_id == dialogue_id).all()
        for sequence in sequences:
            seq_msg_ids = {
                sm.message_id
                for sm in self.session.query(SequenceMessage.message_id)
                .filter(SequenceMessage.sequence_id == sequence.id)
                .all()
            }
            position = 0
            for exchange in exchanges:
                exchange_msg_ids = {em.message_id for em in exchange.exchange_messages}
                if exchange_msg_ids.issubset(seq_msg_ids):
                    link = SequenceExchange(sequence_id=sequence.id, exchange_id=exchange.id, position=position)
                    self.session.add(link)
                    position += 1
