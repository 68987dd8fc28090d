"""The log of look-ups, and the way from a message to what follows it.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "match_log",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False, comment="Order of look-ups"),
        sa.Column(
            "asked_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When it was asked",
        ),
        sa.Column("door", sa.Text(), nullable=False, comment="Who asked: find_path, find_or_create or respond"),
        sa.Column("context_hash", sa.Text(), nullable=False, comment="Hash of the array that was asked for (hex)"),
        sa.Column(
            "level",
            sa.Text(),
            nullable=True,
            comment="exact, normalized or prompts; NULL if the array was not known",
        ),
        sa.Column("is_hit", sa.Boolean(), nullable=False, comment="The archive had the array and a response to it"),
        sa.Column("is_created", sa.Boolean(), nullable=False, comment="Something was stored"),
        sa.Column("matched", sa.Integer(), nullable=False, comment="Leading messages that were known"),
        sa.Column("length", sa.Integer(), nullable=False, comment="Messages in the array"),
        sa.Column("model", sa.Text(), nullable=True, comment="Model that was asked for; NULL if none was"),
        sa.Column(
            "response_message_id",
            sa.Uuid(as_uuid=False),
            nullable=True,
            comment="Response that was chosen; kept when it is deleted",
        ),
        sa.CheckConstraint("door IN ('find_path', 'find_or_create', 'respond')", name=op.f("ck_match_log_door")),
        sa.CheckConstraint("level IN ('exact', 'normalized', 'prompts')", name=op.f("ck_match_log_level")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match_log")),
        schema="raw",
        comment="Every look-up of a messages array, and what became of it (seed 003)",
    )
    op.create_index(op.f("ix_match_log_asked_at"), "match_log", ["asked_at"], schema="raw")
    op.create_index(op.f("ix_match_log_response_message_id"), "match_log", ["response_message_id"], schema="raw")
    op.create_index(
        op.f("ix_message_contexts_context_parent_id"), "message_contexts", ["context_parent_id"], schema="derived"
    )


def downgrade() -> None:
    op.drop_index(op.f("ix_message_contexts_context_parent_id"), table_name="message_contexts", schema="derived")
    op.drop_table("match_log", schema="raw")
