"""Version of the reader that read an export, and each dialogue of it.

Revision ID: 0022
Revises: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0020"

COLUMNS = {
    "imports": "Version of the reader of the source; NULL if none read it, or before versions were recorded",
    "dialogue_vintages": "Version of the reader that read it; NULL if that was before versions were recorded",
}


def upgrade() -> None:
    for table, comment in COLUMNS.items():
        op.add_column(table, sa.Column("reader_version", sa.Integer(), comment=comment), schema="raw")


def downgrade() -> None:
    for table in COLUMNS:
        op.drop_column(table, "reader_version", schema="raw")
