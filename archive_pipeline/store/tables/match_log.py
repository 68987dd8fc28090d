"""The log of look-ups of messages arrays (seed 003)."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Identity,
    Index,
    Integer,
    Table,
    Text,
    func,
)

from archive_pipeline.store.tables.base import RAW, metadata, one_of, uuid_column

DOORS: Final = ["find_path", "find_or_create", "respond", "llm"]
LEVELS: Final = ["exact", "normalized", "prompts"]
OUTCOMES: Final = ["found", "generated_equal", "generated_new", "missed"]

match_log: Final = Table(
    "match_log",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True, comment="Order of look-ups"),
    Column("asked_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When it was asked"),
    Column("door", Text, nullable=False, comment="Who asked: find_path, find_or_create, respond or llm (the plugin)"),
    Column("context_hash", Text, nullable=False, comment="Hash of the array that was asked for (hex)"),
    Column("level", Text, comment="exact, normalized or prompts; NULL if the array was not known"),
    Column("is_hit", Boolean, nullable=False, comment="The archive had the array and a response to it"),
    Column("is_created", Boolean, nullable=False, comment="Something was stored"),
    Column("matched", Integer, nullable=False, comment="Leading messages that were known"),
    Column("length", Integer, nullable=False, comment="Messages in the array"),
    Column("model", Text, comment="Model that was asked for; NULL if none was"),
    uuid_column("response_message_id", "Response that was chosen; kept when it is deleted", nullable=True),
    Column("path_hash", Text, comment="Hash of the prompts of the array (hex); NULL before it was logged"),
    Column(
        "outcome",
        Text,
        nullable=False,
        comment="found: the archive answered; generated_equal or generated_new: an answer was given, which the archive "
        "had (of any model) or had not; missed: neither",
    ),
    CheckConstraint(one_of("door", DOORS), name="door"),
    CheckConstraint(one_of("level", LEVELS), name="level"),
    CheckConstraint(one_of("outcome", OUTCOMES), name="outcome"),
    Index(None, "asked_at"),
    Index(None, "response_message_id"),
    schema=RAW,
    comment="Every look-up of a messages array, and what became of it (seed 003)",
)
