"""Schema ``annotations``: what a person says about dialogues and messages. No import and no build touches it."""

from typing import Final

from sqlalchemy import CheckConstraint, Column, DateTime, Index, Table, Text, func

from archive_pipeline.store.tables.base import dialogue_column, message_key, metadata, one_of, uuid_column

ANNOTATIONS: Final = "annotations"
KINDS: Final = ["tag", "note", "chosen", "rejected", "never_export"]

annotations: Final = Table(
    "annotations",
    metadata,
    uuid_column("id", "uuid5 of dialogue, message, kind and text", primary_key=True),
    dialogue_column(primary_key=True),
    uuid_column("message_id", "Message it is about; NULL if it is about the dialogue", nullable=True),
    Column("kind", Text, nullable=False, comment="tag, note, chosen, rejected or never_export"),
    Column("text", Text, comment="The tag or note; NULL for other kinds"),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When it was set"),
    CheckConstraint(one_of("kind", KINDS), name="kind"),
    CheckConstraint("(kind IN ('tag', 'note')) = (text IS NOT NULL)", name="tags_and_notes_have_text"),
    CheckConstraint("kind NOT IN ('chosen', 'rejected') OR message_id IS NOT NULL", name="choices_are_of_messages"),
    CheckConstraint("kind <> 'never_export' OR message_id IS NULL", name="never_export_is_of_dialogues"),
    message_key(),
    Index(None, "dialogue_id"),
    Index(None, "message_id"),
    Index(None, "kind", "text"),
    schema=ANNOTATIONS,
    comment="What a person says about dialogues and messages: tags, notes, choices, and what is never exported",
)

ANNOTATION_TABLES: Final = (annotations,)
