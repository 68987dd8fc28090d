"""Dialogues that were deleted for good, which imports leave out.

Revision ID: 0031
Revises: 0030
"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.create_table(
        "deleted_dialogues",
        sa.Column("source", sa.Text(), nullable=False, comment="Where the dialogue came from"),
        sa.Column("source_id", sa.Text(), nullable=False, comment="Its id, as raw.dialogues.source_id had it"),
        sa.ForeignKeyConstraint(["source"], ["raw.sources.id"], name=op.f("fk_deleted_dialogues_source")),
        sa.PrimaryKeyConstraint("source", "source_id", name=op.f("pk_deleted_dialogues")),
        schema="raw",
        comment="Dialogues that were deleted for good (`llm-archive delete --forever`): imports leave them out",
    )


def downgrade() -> None:
    op.drop_table("deleted_dialogues", schema="raw")
