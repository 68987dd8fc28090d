"""Schema ``raw``, what is known of dialogues beside their content: exports, links, and which stay deleted."""

from __future__ import annotations

from typing import Final

from sqlalchemy import CheckConstraint, Column, DateTime, ForeignKey, Index, Integer, LargeBinary, Table, Text

from archive_pipeline.store.tables.base import RAW, dialogue_column, metadata, one_of, uuid_column

LINK_KINDS: Final = ["branch", "fork", "resume", "subagent", "copy"]

dialogue_vintages: Final = Table(
    "dialogue_vintages",
    metadata,
    dialogue_column(primary_key=True),
    Column(
        "vintage",
        Text,
        primary_key=True,
        comment="Shape of the export, by what it can hold: full, slim, linear; of partial exports `partial` and the "
        "shape, with their time where others stand beside them",
    ),
    uuid_column(
        "import_id",
        "Import of the newest export of this vintage",
        ForeignKey("raw.imports.id", ondelete="SET NULL"),
        nullable=True,
    ),
    Column("source_updated_at", DateTime(timezone=True), comment="Time of the dialogue in that export"),
    Column(
        "layer",
        LargeBinary,
        comment="The dialogue as that export has it, compressed; NULL if its rows say all of it",
    ),
    Column(
        "reader_version",
        Integer,
        comment="Version of the reader that read it; NULL if that was before versions were recorded",
    ),
    Index(None, "import_id"),
    schema=RAW,
    comment="Shapes of exports that a dialogue came in; its messages are what their newest exports say together",
)

dialogue_links: Final = Table(
    "dialogue_links",
    metadata,
    dialogue_column(primary_key=True),
    # No foreign key: it would be to another dialogue. Deleting a dialogue deletes the links to it.
    uuid_column(
        "original_id", "Dialogue that had the shared messages first, or started the subagent", primary_key=True
    ),
    Column("kind", Text, nullable=False, comment="branch, fork, resume, subagent or copy"),
    Column(
        "shared_messages",
        Integer,
        nullable=False,
        comment="Live messages from the root on that have the ids of messages of the original; few subagents have any",
    ),
    CheckConstraint(one_of("kind", LINK_KINDS), name="kind"),
    CheckConstraint("shared_messages > 0 OR (kind = 'subagent' AND shared_messages = 0)", name="shared_messages"),
    CheckConstraint("original_id <> dialogue_id", name="original_is_another"),
    Index(None, "original_id"),
    schema=RAW,
    comment="Dialogues that begin with a copy of another one's messages, by their ids, or are of its subagent",
)

# The id in the source is hashed where the dialogue has none (``domain.identity``). Nothing else of it is kept.
deleted_dialogues: Final = Table(
    "deleted_dialogues",
    metadata,
    Column("source", Text, ForeignKey("raw.sources.id"), primary_key=True, comment="Where the dialogue came from"),
    Column("source_id", Text, primary_key=True, comment="Its id, as raw.dialogues.source_id had it"),
    schema=RAW,
    comment="Dialogues that were deleted for good (`llm-archive delete --forever`): imports leave them out",
)
