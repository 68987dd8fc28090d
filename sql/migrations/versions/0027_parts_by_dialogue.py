"""The primary keys of parts and attachments begin with the dialogue, which they were looked up by in an index of its own.

Rows of a dialogue come together: by their own ids, which are hashes, each went to another page of the key. Nobody looks
a part up by its id. No row of the archive changes.

Revision ID: 0027
Revises: 0026
"""

from alembic import op

revision = "0027"
down_revision = "0026"

TABLES = ("content_parts", "attachments")
DIALOGUE = "dialogue_id"


def upgrade() -> None:
    for table in TABLES:
        _rekey(table, [DIALOGUE, "id"])
        op.drop_index(f"ix_{table}_{DIALOGUE}", table_name=table, schema="raw")


def downgrade() -> None:
    for table in TABLES:
        op.create_index(f"ix_{table}_{DIALOGUE}", table, [DIALOGUE], schema="raw")
        _rekey(table, ["id", DIALOGUE])


def _rekey(table: str, columns: list[str]) -> None:
    op.drop_constraint(f"pk_{table}", table, schema="raw", type_="primary")
    op.create_primary_key(f"pk_{table}", table, columns, schema="raw")
