"""Workspace and session of question-answer pairs.

Revision ID: 0020
Revises: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

COLUMNS = {
    "workspace_id": "Project of the dialogue, else its custom GPT, in the source's words",
    "session_id": "Id of the dialogue in its source, as in the chat's URL",
}


def upgrade() -> None:
    for name, comment in COLUMNS.items():
        op.add_column("qa_pairs", sa.Column(name, sa.Text(), comment=comment), schema="derived")


def downgrade() -> None:
    op.execute(
        "DROP VIEW IF EXISTS derived.searchable_chunks"
    )  # it shows the columns; opening the archive makes it anew
    for name in COLUMNS:
        op.drop_column("qa_pairs", name, schema="derived")
