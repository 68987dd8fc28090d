"""ORM models of the seed documents: ``raw`` tables to read, ``seed_derived`` tables to write.

The tables have the columns the documents name, random ids from the client, and one index wherever a builder filters.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

RAW: Final = "raw"
SEED: Final = "seed_derived"


class Base(DeclarativeBase):
    """Declarative base of the seed's models."""

    type_annotation_map: ClassVar = {str: Text, list[UUID]: ARRAY(Uuid)}


class Dialogue(Base):
    """A conversation."""

    __tablename__ = "dialogues"
    __table_args__ = ({"schema": RAW},)

    id: Mapped[UUID] = mapped_column(primary_key=True)


class Message(Base):
    """A message; ``created_at`` is the time the source gives."""

    __tablename__ = "messages"
    __table_args__ = ({"schema": RAW},)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    dialogue_id: Mapped[UUID] = mapped_column(ForeignKey(f"{RAW}.dialogues.id"))
    parent_id: Mapped[UUID | None]
    role: Mapped[str]
    created_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    content_parts: Mapped[list[ContentPart]] = relationship(order_by="ContentPart.sequence", viewonly=True)


class ContentPart(Base):
    """A part of a message's content."""

    __tablename__ = "content_parts"
    __table_args__ = ({"schema": RAW},)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    message_id: Mapped[UUID] = mapped_column(ForeignKey(f"{RAW}.messages.id"))
    sequence: Mapped[int]
    part_type: Mapped[str]
    text_content: Mapped[str | None]


class DialogueTree(Base):
    """Aggregate tree statistics of a dialogue."""

    __tablename__ = "dialogue_trees"
    __table_args__ = ({"schema": SEED},)

    dialogue_id: Mapped[UUID] = mapped_column(ForeignKey(f"{RAW}.dialogues.id", ondelete="CASCADE"), primary_key=True)
    total_nodes: Mapped[int]
    max_depth: Mapped[int]
    branch_count: Mapped[int]
    leaf_count: Mapped[int]
    primary_leaf_id: Mapped[UUID | None]
    primary_path_length: Mapped[int | None]
    has_regenerations: Mapped[bool]
    has_edits: Mapped[bool]


class MessagePath(Base):
    """Materialised path of a message."""

    __tablename__ = "message_paths"
    __table_args__ = ({"schema": SEED},)

    message_id: Mapped[UUID] = mapped_column(ForeignKey(f"{RAW}.messages.id", ondelete="CASCADE"), primary_key=True)
    dialogue_id: Mapped[UUID] = mapped_column(index=True)
    ancestor_path: Mapped[list[UUID]]
    depth: Mapped[int]
    is_root: Mapped[bool]
    is_leaf: Mapped[bool]
    child_count: Mapped[int]
    sibling_index: Mapped[int]
    is_on_primary_path: Mapped[bool]


class LinearSequence(Base):
    """A root-to-leaf path."""

    __tablename__ = "linear_sequences"
    __table_args__ = ({"schema": SEED},)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    dialogue_id: Mapped[UUID] = mapped_column(ForeignKey(f"{RAW}.dialogues.id", ondelete="CASCADE"), index=True)
    leaf_message_id: Mapped[UUID]
    sequence_length: Mapped[int]
    is_primary: Mapped[bool]
    branch_reason: Mapped[str | None]
    branched_at_depth: Mapped[int | None]


class SequenceMessage(Base):
    """A message's position in a sequence."""

    __tablename__ = "sequence_messages"
    __table_args__ = ({"schema": SEED},)

    sequence_id: Mapped[UUID] = mapped_column(
        ForeignKey(f"{SEED}.linear_sequences.id", ondelete="CASCADE"), primary_key=True
    )
    message_id: Mapped[UUID] = mapped_column(ForeignKey(f"{RAW}.messages.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int]
    sequence: Mapped[LinearSequence] = relationship()


class Exchange(Base):
    """A user-assistant interaction."""

    __tablename__ = "exchanges"
    __table_args__ = ({"schema": SEED},)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    dialogue_id: Mapped[UUID] = mapped_column(ForeignKey(f"{RAW}.dialogues.id", ondelete="CASCADE"), index=True)
    first_message_id: Mapped[UUID]
    last_message_id: Mapped[UUID]
    message_count: Mapped[int]
    user_message_count: Mapped[int]
    assistant_message_count: Mapped[int]
    is_continuation: Mapped[bool] = mapped_column(default=False)
    continuation_of_id: Mapped[UUID | None]
    merged_count: Mapped[int] = mapped_column(default=0)
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    exchange_messages: Mapped[list[ExchangeMessage]] = relationship(order_by="ExchangeMessage.position")


class ExchangeMessage(Base):
    """A message's position in an exchange."""

    __tablename__ = "exchange_messages"
    __table_args__ = ({"schema": SEED},)

    exchange_id: Mapped[UUID] = mapped_column(ForeignKey(f"{SEED}.exchanges.id", ondelete="CASCADE"), primary_key=True)
    message_id: Mapped[UUID] = mapped_column(ForeignKey(f"{RAW}.messages.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int]


class ExchangeContent(Base):
    """Aggregated text of an exchange."""

    __tablename__ = "exchange_content"
    __table_args__ = ({"schema": SEED},)

    exchange_id: Mapped[UUID] = mapped_column(ForeignKey(f"{SEED}.exchanges.id", ondelete="CASCADE"), primary_key=True)
    user_text: Mapped[str | None]
    assistant_text: Mapped[str | None]
    full_text: Mapped[str | None]
    user_text_hash: Mapped[str | None]
    assistant_text_hash: Mapped[str | None]
    full_text_hash: Mapped[str | None]
    user_word_count: Mapped[int | None]
    assistant_word_count: Mapped[int | None]
    total_word_count: Mapped[int | None]
    exchange: Mapped[Exchange] = relationship()


class SequenceExchange(Base):
    """An exchange's position in a sequence."""

    __tablename__ = "sequence_exchanges"
    __table_args__ = ({"schema": SEED},)

    sequence_id: Mapped[UUID] = mapped_column(
        ForeignKey(f"{SEED}.linear_sequences.id", ondelete="CASCADE"), primary_key=True
    )
    exchange_id: Mapped[UUID] = mapped_column(ForeignKey(f"{SEED}.exchanges.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int]
    sequence: Mapped[LinearSequence] = relationship()
    exchange: Mapped[Exchange] = relationship()


class ContentHash(Base):
    """A hash of an entity's text."""

    __tablename__ = "content_hashes"
    __table_args__ = ({"schema": SEED},)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    entity_type: Mapped[str]
    entity_id: Mapped[UUID] = mapped_column(index=True)
    hash_scope: Mapped[str]
    normalization: Mapped[str]
    hash_sha256: Mapped[str]
    hash_simhash: Mapped[str | None]


class PromptResponse(Base):
    """A user message and an assistant message that answers it."""

    __tablename__ = "prompt_responses"
    __table_args__ = ({"schema": SEED},)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    dialogue_id: Mapped[UUID] = mapped_column(ForeignKey(f"{RAW}.dialogues.id", ondelete="CASCADE"), index=True)
    prompt_message_id: Mapped[UUID] = mapped_column(index=True)
    response_message_id: Mapped[UUID]
    prompt_position: Mapped[int]
    response_position: Mapped[int]
    prompt_role: Mapped[str]
    response_role: Mapped[str]


class PromptResponseContent(Base):
    """Aggregated text of a prompt-response pair."""

    __tablename__ = "prompt_response_content"
    __table_args__ = ({"schema": SEED},)

    prompt_response_id: Mapped[UUID] = mapped_column(
        ForeignKey(f"{SEED}.prompt_responses.id", ondelete="CASCADE"), primary_key=True
    )
    prompt_text: Mapped[str | None]
    response_text: Mapped[str | None]
    prompt_word_count: Mapped[int | None]
    response_word_count: Mapped[int | None]
