"""Quarantine: derived.build_errors.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "build_errors",
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column(
            "asset",
            sa.Text(),
            nullable=False,
            comment="Name of the derived asset that cannot be built for the dialogue",
        ),
        sa.Column("fingerprint", sa.Text(), nullable=False, comment="Fingerprint of the dialogue it was tried with"),
        sa.Column("code_version", sa.Text(), nullable=False, comment="Version of the code and settings that tried"),
        sa.Column(
            "error", sa.Text(), nullable=False, comment="Type and message on the first line, then where it came from"
        ),
        sa.Column(
            "failed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When",
        ),
        sa.ForeignKeyConstraint(
            ["dialogue_id"],
            ["raw.dialogues.id"],
            name=op.f("fk_build_errors_dialogue_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("dialogue_id", "asset", name=op.f("pk_build_errors")),
        schema="derived",
        comment="Quarantine: not tried again with the same content by the same code; has no rows in the asset's tables",
    )


def downgrade() -> None:
    op.drop_table("build_errors", schema="derived")
