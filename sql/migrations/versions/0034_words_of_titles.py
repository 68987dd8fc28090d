"""An index of the words of titles, by which a search names dialogues that it shows no page of.

Revision ID: 0034
Revises: 0033
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"

_INDEX = "ix_dialogues_title_words"


def upgrade() -> None:
    words = sa.text("to_tsvector('simple', left(title, 300))")
    op.create_index(_INDEX, "dialogues", [words], schema="raw", postgresql_using="gin")


def downgrade() -> None:
    op.drop_index(_INDEX, table_name="dialogues", schema="raw")
