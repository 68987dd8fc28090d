"""The index of messages by their ids in the source has those only that dialogues may share: UUIDs.

Some sources count the messages of each dialogue. A bucket of the index had the first message of all of these dialogues,
and a row that was added went through the whole bucket. No row of the archive changes.

Revision ID: 0026
Revises: 0025
"""

from alembic import op

revision = "0026"
down_revision = "0025"

NAME = "ix_messages_source_id"


def upgrade() -> None:
    op.drop_index(NAME, table_name="messages", schema="raw")
    op.create_index(
        NAME,
        "messages",
        ["source_id"],
        schema="raw",
        postgresql_using="hash",
        postgresql_where="length(source_id) = 36",
    )


def downgrade() -> None:
    op.drop_index(NAME, table_name="messages", schema="raw")
    op.create_index(NAME, "messages", ["source_id"], schema="raw", postgresql_using="hash")
