"""Dialogues of subagents: the dialogue that started one, and links that share no messages.

Revision ID: 0033
Revises: 0032
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"

_TABLE = "dialogue_links"
_CHECK = "ck_dialogue_links_shared_messages"
_INDEX = "ix_dialogues_source_source_parent_id"
_COMMENTS = {
    "original_id": (
        "Dialogue that had the shared messages first",
        "Dialogue that had the shared messages first, or started the subagent",
    ),
    "shared_messages": (
        "Live messages from the root on that have the ids of messages of the original",
        "Live messages from the root on that have the ids of messages of the original; few subagents have any",
    ),
}
_TABLE_COMMENTS = (
    "Dialogues that begin with a copy of another one's messages, by their ids",
    "Dialogues that begin with a copy of another one's messages, by their ids, or are of its subagent",
)


def upgrade() -> None:
    comment = "Id in the source of the dialogue that started it, if it is a subagent's; NULL of others"
    op.add_column("dialogues", sa.Column("source_parent_id", sa.Text(), comment=comment), schema="raw")
    op.create_index(
        _INDEX,
        "dialogues",
        ["source", "source_parent_id"],
        schema="raw",
        postgresql_where="source_parent_id IS NOT NULL",
    )
    _change("shared_messages > 0 OR (kind = 'subagent' AND shared_messages = 0)", ["dialogue_id", "original_id"], 1)


def downgrade() -> None:
    op.execute("DELETE FROM raw.dialogue_links WHERE kind = 'subagent'")
    _change("shared_messages > 0", ["dialogue_id"], 0)
    op.drop_index(_INDEX, table_name="dialogues", schema="raw")
    op.drop_column("dialogues", "source_parent_id", schema="raw")


def _change(check: str, key: list[str], version: int) -> None:
    op.drop_constraint(op.f(_CHECK), _TABLE, schema="raw", type_="check")
    op.create_check_constraint(op.f(_CHECK), _TABLE, check, schema="raw")
    op.drop_constraint("pk_dialogue_links", _TABLE, schema="raw", type_="primary")
    op.create_primary_key("pk_dialogue_links", _TABLE, key, schema="raw")
    for column, comments in _COMMENTS.items():
        op.alter_column(_TABLE, column, comment=comments[version], schema="raw")
    op.create_table_comment(_TABLE, _TABLE_COMMENTS[version], schema="raw")
