"""Schema ``raw``: what the exports say, one row per source, import, dialogue, message, content part, attachment."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from archive_pipeline.domain.choices import API
from archive_pipeline.domain.records import PartType
from archive_pipeline.store.tables.base import (
    DIALOGUE,
    RAW,
    dialogue_column,
    dialogue_first,
    message_key,
    metadata,
    one_of,
    uuid_column,
)
from archive_pipeline.store.tables.dialogues import deleted_dialogues, dialogue_links, dialogue_vintages
from archive_pipeline.store.tables.drift import format_drift
from archive_pipeline.store.tables.match_log import match_log

ROLES: Final = ["user", "assistant", "system", "tool"]
STATES: Final = ["complete", "in_progress", "aborted", "error"]
PARENT_FLAGS: Final = ["missing_parent", "cycle"]
ORIGINS: Final = ["import", API]
IMPORT_STATUSES: Final = ["running", "done", "failed"]

sources: Final = Table(
    "sources",
    metadata,
    Column("id", Text, primary_key=True, comment="Name of the source, as in raw.dialogues.source"),
    Column("description", Text, nullable=False, comment="What the source is"),
    schema=RAW,
    comment="Where dialogues come from",
)

imports: Final = Table(
    "imports",
    metadata,
    uuid_column("id", "One import of one file", primary_key=True),
    Column("path", Text, nullable=False, comment="Path as given, or found below the folder that was given"),
    Column("sha256", Text, comment="SHA-256 of the file's bytes (hex); NULL if it could not be read to its end"),
    Column("source", Text, ForeignKey("raw.sources.id"), comment="Recognised source; NULL if none was"),
    Column(
        "reader_version",
        Integer,
        comment="Version of the reader of the source; NULL if none read it, or before versions were recorded",
    ),
    Column("started_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When it began"),
    Column(
        "finished_at",
        DateTime(timezone=True),
        comment="When it ended; NULL while it runs; of one that was killed, when the next command that writes found it",
    ),
    Column("status", Text, nullable=False, comment="running, done (read to its end) or failed"),
    Column("is_partial", Boolean, nullable=False, server_default=text("false"), comment="Imported with --partial"),
    Column(
        "counts",
        JSONB,
        nullable=False,
        server_default=text("'{}'::jsonb"),
        comment="Dialogues new/changed/unchanged/rejected, rows written, and every surprise by its name",
    ),
    Column(
        "acknowledged_at",
        DateTime(timezone=True),
        comment="When `llm-archive acknowledge` took note of it: checks leave out what it met; NULL if not yet",
    ),
    CheckConstraint(one_of("status", IMPORT_STATUSES), name="status"),
    Index(None, "sha256"),
    schema=RAW,
    comment="Every file that was read, and how it went",
)

rejected_records: Final = Table(
    "rejected_records",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True, comment="Order in which records were rejected"),
    uuid_column("import_id", "Import that met the record", ForeignKey("raw.imports.id", ondelete="CASCADE")),
    Column("locator", Text, nullable=False, comment="Where it stands: file, member, and index or byte offset"),
    Column("reason", Text, nullable=False, comment="What is wrong, in words"),
    Column("error", Text, nullable=False, comment="The technical error"),
    Column("excerpt", Text, comment="Beginning of the record, to find it by"),
    Column(
        "created_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When it was rejected"
    ),
    Index(None, "import_id"),
    schema=RAW,
    comment="What could not be loaded, with enough to find it in its file; nothing is dropped silently",
)

dialogues: Final = Table(
    "dialogues",
    metadata,
    uuid_column("id", "uuid5 of (source, source_id)", primary_key=True),
    Column("source", Text, ForeignKey("raw.sources.id"), nullable=False, comment="Where the dialogue comes from"),
    Column("source_id", Text, nullable=False, comment="Id in the source; made from content where the source has none"),
    Column("partition_key", Text, nullable=False, comment="<source>-<source_id>; never changes, each once"),
    Column("shard_key", Text, nullable=False, comment="Stable hash of the id, s0000 to s1023; never changes"),
    Column("title", Text, comment="Title as the source has it; NULL if that is empty or missing"),
    Column("source_created_at", DateTime(timezone=True), comment="When the source says it began"),
    Column("source_updated_at", DateTime(timezone=True), comment="When the source says it last changed"),
    Column("fingerprint", Text, nullable=False, comment="Hash of the content fields; equal means nothing to do"),
    Column("message_count", Integer, nullable=False, comment="Live messages"),
    uuid_column("active_message_id", "Message the source's own pointer leads to, if it has one", nullable=True),
    Column(
        "diagnostics",
        JSONB,
        nullable=False,
        server_default=text("'{}'::jsonb"),
        comment="Surprises of this dialogue by name, with counts",
    ),
    Column("custom_gpt_id", Text, comment="Custom assistant that it was held with, in the source's words"),
    Column("project_id", Text, comment="Project that it belongs to, in the source's words"),
    Column(
        "source_parent_id",
        Text,
        comment="Id in the source of the dialogue that started it, if it is a subagent's; NULL of others",
    ),
    Column("source_json", JSONB, nullable=False, comment="The dialogue as the source has it, without its messages"),
    Column(
        "source_bytes",
        LargeBinary,
        comment="zlib-compressed JSON of the whole dialogue before sanitising; only where sanitising changed something",
    ),
    uuid_column(
        "first_import_id",
        "Import that brought it first",
        ForeignKey("raw.imports.id", ondelete="SET NULL"),
        nullable=True,
    ),
    uuid_column(
        "last_import_id",
        "Import that last changed it",
        ForeignKey("raw.imports.id", ondelete="SET NULL"),
        nullable=True,
    ),
    Column(
        "imported_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When it came first"
    ),
    Column(
        "changed_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When it last changed"
    ),
    # No unique keys beside the id's, which is made of source and source_id; imports see to the partition key.
    Index(None, "source", "source_id"),
    # Of a dialogue those of its subagents.
    Index(None, "source", "source_parent_id", postgresql_where="source_parent_id IS NOT NULL"),
    Index(None, "partition_key"),
    Index(None, "shard_key"),
    # Prefixes of keys are looked up in it, whatever the database's collation is.
    Index("ix_dialogues_key_prefix", "partition_key", postgresql_ops={"partition_key": "text_pattern_ops"}),
    # A search looks for dialogues by the words of their titles, of which a hostile one may have any number.
    Index("ix_dialogues_title_words", text("to_tsvector('simple', left(title, 300))"), postgresql_using="gin"),
    Index(None, "first_import_id"),
    Index(None, "last_import_id"),
    schema=RAW,
    comment="One row per conversation",
)

messages: Final = Table(
    "messages",
    metadata,
    uuid_column("id", "uuid5 of (dialogue, source message id)"),
    dialogue_column(),
    Column("source_id", Text, nullable=False, comment="Id in the source; made from content where the source has none"),
    uuid_column(
        "parent_id",
        "Parent message, after message-less nodes were skipped; NULL for a root",
        nullable=True,
    ),
    Column("source_parent_id", Text, comment="Parent pointer as the source has it"),
    Column("parent_flag", Text, comment="Why the parent is not the source's: missing_parent or cycle; NULL if it is"),
    Column("role", Text, nullable=False, comment="user, assistant, system or tool"),
    Column("sequence_number", Integer, nullable=False, comment="Given at first import, from 0, never renumbered"),
    Column("created_at", DateTime(timezone=True), comment="When the source says it was written"),
    Column("updated_at", DateTime(timezone=True), comment="When the source says it last changed"),
    Column("model", Text, comment="Model that wrote it"),
    Column("author_name", Text, comment="Name of the author, such as the tool's"),
    Column("recipient", Text, comment="Whom it is addressed to, such as a tool's name"),
    Column("channel", Text, comment="Channel: final, commentary, analysis"),
    Column("state", Text, nullable=False, comment="complete, in_progress, aborted or error"),
    Column("is_hidden", Boolean, nullable=False, comment="The source does not show it to the user"),
    Column("content_hash", Text, nullable=False, comment="Hash of the message's content fields"),
    Column("deleted_at", DateTime(timezone=True), comment="When a full export no longer had it; NULL while it is live"),
    Column("source_json", JSONB, comment="The message as the source has it, without its parts and attachments"),
    Column("request_options", JSONB, comment="Options of the request that made it; NULL if unknown"),
    Column(
        "origin",
        Text,
        nullable=False,
        server_default=text("'import'"),
        comment="What brought it: import, or api for a branch added to the dialogue, which imports leave alone",
    ),
    CheckConstraint(one_of("role", ROLES), name="role"),
    CheckConstraint(one_of("origin", ORIGINS), name="origin"),
    CheckConstraint("jsonb_typeof(request_options) = 'object'", name="request_options"),
    CheckConstraint(one_of("state", STATES), name="state"),
    CheckConstraint(one_of("parent_flag", PARENT_FLAGS), name="parent_flag"),
    CheckConstraint("parent_id <> id", name="parent_is_another"),
    CheckConstraint("sequence_number >= 0", name="sequence_number"),
    message_key("parent_id", deferrable=True, initially="DEFERRED"),
    dialogue_first("id"),
    UniqueConstraint(DIALOGUE, "sequence_number"),
    Index(None, "id"),
    Index(None, "parent_id"),
    # Equal ids in other dialogues: raw.dialogue_links. Ids of other lengths are no UUIDs; those that all dialogues of a
    # source have ("1", "2") would make buckets that grow with every dialogue.
    Index(None, "source_id", postgresql_using="hash", postgresql_where="length(source_id) = 36"),
    schema=RAW,
    comment="One row per message, soft-deleted when a later full export no longer has it",
)

content_parts: Final = Table(
    "content_parts",
    metadata,
    uuid_column("id", "uuid5 of (message, sequence)"),
    uuid_column("message_id", "Message it is part of"),
    dialogue_column(),
    Column("sequence", Integer, nullable=False, comment="Position in the message, from 0"),
    Column("part_type", Text, nullable=False, comment="What the part is; unknown ones are kept in source_json"),
    Column("source_type", Text, comment="The source's name for it"),
    Column("text_content", Text, comment="Text of the part"),
    Column("tool_name", Text, comment="Tool that is called or answers"),
    Column("tool_use_id", Text, comment="Id that pairs a call with its result"),
    Column("tool_input", JSON, comment="Arguments of the call, in the source's own order of keys"),
    Column("is_error", Boolean, comment="The tool reported an error; NULL if the source does not say"),
    Column("language", Text, comment="Programming language of code"),
    Column("mime_type", Text, comment="Media type"),
    Column("uri", Text, comment="Pointer to an asset or page"),
    Column("source_json", JSONB, comment="The part as the source has it, where the columns do not say everything"),
    Column("content_sha256", Text, comment="SHA-256 of the binary content (hex), where the source has it"),
    CheckConstraint(one_of("part_type", [part.value for part in PartType]), name="part_type"),
    message_key(),
    dialogue_first("id"),
    # Not unique with the sequence: they make the id, so the key would say again what the primary key says.
    Index(None, "message_id"),
    schema=RAW,
    comment="Parts of a message's content, in order",
)

attachments: Final = Table(
    "attachments",
    metadata,
    uuid_column("id", "uuid5 of (message, sequence)"),
    uuid_column("message_id", "Message it came with"),
    dialogue_column(),
    Column("sequence", Integer, nullable=False, comment="Position among the message's attachments, from 0"),
    Column("source_id", Text, comment="Id in the source"),
    Column("file_name", Text, comment="File name; NULL for pasted text"),
    Column("mime_type", Text, comment="Media type"),
    Column("size_bytes", BigInteger, comment="Size in bytes, as the source says"),
    Column("uri", Text, comment="Pointer to the file in the source or the export"),
    Column("extracted_text", Text, comment="Text that the source extracted from it"),
    Column("source_json", JSONB, comment="The attachment as the source has it"),
    Column("content_sha256", Text, comment="SHA-256 of the content (hex), or else of the extracted text"),
    message_key(),
    dialogue_first("id"),
    Index(None, "message_id"),
    schema=RAW,
    comment="Files that came with messages",
)

RAW_TABLES: Final = (
    sources,
    imports,
    rejected_records,
    format_drift,
    dialogues,
    messages,
    content_parts,
    attachments,
    match_log,
    dialogue_vintages,
    dialogue_links,
    deleted_dialogues,
)
