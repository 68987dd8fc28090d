"""Contents of attached files, in ``raw``: which message points to which file, and what is kept of it.

They are apart from ``raw.attachments`` and ``raw.content_parts``, whose rows say what an export says and are written
anew with their message: an export that has the dialogue need not have the file, and the other way round.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, CheckConstraint, Column, DateTime, ForeignKey, Index, Table, Text, func

from archive_pipeline.store.tables.base import RAW, dialogue_column, message_key, metadata, uuid_column

attachment_contents: Final = Table(
    "attachment_contents",
    metadata,
    Column("sha256", Text, primary_key=True, comment="SHA-256 of the bytes (hex), which names the file that has them"),
    Column("size_bytes", BigInteger, nullable=False, comment="How many bytes"),
    Column("media_type", Text, nullable=False, comment="What they are, by their first bytes, whatever an export says"),
    Column(
        "first_seen", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When they came first"
    ),
    CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name="sha256"),
    schema=RAW,
    comment="Contents of attached files, each once, in ARCHIVE_HOME/attachments",
)

attached_files: Final = Table(
    "attached_files",
    metadata,
    uuid_column("message_id", "Message that points to it", primary_key=True),
    Column(
        "pointer",
        Text,
        primary_key=True,
        comment="What the message calls it: source_id or uri of raw.attachments, uri of raw.content_parts",
    ),
    dialogue_column(primary_key=True),
    Column("file_id", Text, nullable=False, comment="Id in the pointer, by which exports name the file"),
    Column("file_name", Text, comment="What the user called it; NULL if no export says"),
    Column(
        "sha256",
        Text,
        ForeignKey("raw.attachment_contents.sha256"),
        comment="Its content; NULL while it is missing",
    ),
    Column("found_at", Text, comment="Place in an export where the content was found; NULL while it is missing"),
    Column("looked_in", Text, comment="Paths of the last import that had the dialogue without the file, a line each"),
    Column("looked_at", DateTime(timezone=True), comment="When that was"),
    message_key(),
    Index(None, "dialogue_id"),
    Index(None, "file_id"),
    Index(None, "sha256"),
    schema=RAW,
    comment="Files that messages point to, kept or missing",
)

ATTACHMENT_TABLES: Final = (attachment_contents, attached_files)
