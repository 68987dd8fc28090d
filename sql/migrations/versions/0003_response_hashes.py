"""Hashes of messages and the ways to them, and what they need to know of media, options and origin.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"

# Texts extracted from attachments are their content, as for attachments imported from now on.
HASH_EXTRACTED_TEXTS = """
UPDATE raw.attachments
SET content_sha256 = encode(sha256(convert_to(extracted_text, 'UTF8')), 'hex')
WHERE extracted_text <> ''
"""


def upgrade() -> None:
    op.add_column(
        "content_parts",
        sa.Column(
            "content_sha256",
            sa.Text(),
            nullable=True,
            comment="SHA-256 of the binary content (hex), where the source has it",
        ),
        schema="raw",
    )
    op.add_column(
        "attachments",
        sa.Column(
            "content_sha256",
            sa.Text(),
            nullable=True,
            comment="SHA-256 of the content (hex), or else of the extracted text",
        ),
        schema="raw",
    )
    op.execute(HASH_EXTRACTED_TEXTS)
    op.add_column(
        "messages",
        sa.Column(
            "request_options",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="Options of the request that made it; NULL if unknown",
        ),
        schema="raw",
    )
    op.add_column(
        "messages",
        sa.Column(
            "origin",
            sa.Text(),
            server_default=sa.text("'import'"),
            nullable=False,
            comment="What brought it: import, or api for a branch added to the dialogue, which imports leave alone",
        ),
        schema="raw",
    )
    op.create_check_constraint(op.f("ck_messages_origin"), "messages", "origin IN ('import', 'api')", schema="raw")
    op.create_check_constraint(
        op.f("ck_messages_request_options"), "messages", "jsonb_typeof(request_options) = 'object'", schema="raw"
    )
    op.create_table(
        "response_hashes",
        sa.Column("response_message_id", sa.Uuid(as_uuid=False), nullable=False, comment="Assistant message"),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column(
            "parent_response_id",
            sa.Uuid(as_uuid=False),
            nullable=True,
            comment="Response before it on its path; NULL for the first",
        ),
        sa.Column(
            "prompt_hash",
            sa.Text(),
            nullable=False,
            comment="Hash of the messages since that response and fixed options (hex)",
        ),
        sa.Column("response_hash", sa.Text(), nullable=False, comment="Hash of the message's canonical form (hex)"),
        sa.Column(
            "path_hash",
            sa.Text(),
            nullable=False,
            comment="Hash of all prompts on the way, responses left out (hex)",
        ),
        sa.Column(
            "context_hash",
            sa.Text(),
            nullable=False,
            comment="Hash of all messages on the way, itself included (hex)",
        ),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_response_hashes_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["response_message_id"],
            ["raw.messages.id"],
            name=op.f("fk_response_hashes_response_message_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("response_message_id", name=op.f("pk_response_hashes")),
        schema="derived",
        comment="One row per response: what it answers and where, by content (seed 003)",
    )
    op.create_index(
        op.f("ix_response_hashes_dialogue_id_parent_response_id_prompt_hash"),
        "response_hashes",
        ["dialogue_id", "parent_response_id", "prompt_hash"],
        schema="derived",
    )
    for column in ("prompt_hash", "response_hash", "path_hash", "context_hash"):
        op.create_index(op.f(f"ix_response_hashes_{column}"), "response_hashes", [column], schema="derived")
    op.create_table(
        "message_contexts",
        sa.Column("message_id", sa.Uuid(as_uuid=False), nullable=False, comment="The message"),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column(
            "context_parent_id",
            sa.Uuid(as_uuid=False),
            nullable=True,
            comment="Nearest canonical message above; NULL if there is none",
        ),
        sa.Column(
            "context_hash",
            sa.Text(),
            nullable=False,
            comment="Hash of all messages on the way, itself included (hex)",
        ),
        sa.Column(
            "normalized_hash",
            sa.Text(),
            nullable=False,
            comment="The same over texts without case and spacing (hex)",
        ),
        sa.Column(
            "prompt_path_hash",
            sa.Text(),
            nullable=True,
            comment="path_hash of a response to it without options; NULL for responses",
        ),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_message_contexts_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["raw.messages.id"], name=op.f("fk_message_contexts_message_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_message_contexts")),
        schema="derived",
        comment="One row per message with canonical content: the way to it, by content (seed 003)",
    )
    for column in ("dialogue_id", "context_hash", "normalized_hash", "prompt_path_hash"):
        op.create_index(op.f(f"ix_message_contexts_{column}"), "message_contexts", [column], schema="derived")


def downgrade() -> None:
    op.drop_table("message_contexts", schema="derived")
    op.drop_table("response_hashes", schema="derived")
    op.drop_constraint(op.f("ck_messages_request_options"), "messages", schema="raw")
    op.drop_constraint(op.f("ck_messages_origin"), "messages", schema="raw")
    op.drop_column("messages", "origin", schema="raw")
    op.drop_column("messages", "request_options", schema="raw")
    op.drop_column("attachments", "content_sha256", schema="raw")
    op.drop_column("content_parts", "content_sha256", schema="raw")
