"""The keys of messages and of what is derived from them begin with the dialogue.

Rows of a dialogue come together: by their own ids, which are hashes, each went to another page of the key. Ids alone are
looked up in indexes beside them. Unique keys whose columns make the id say nothing more than the id's own; they become
such indexes. No row changes.

Revision ID: 0028
Revises: 0027
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

DIALOGUE = "dialogue_id"
# Primary keys that end with the dialogue and now begin with it: the other column, of which an index is made.
PRIMARY = {
    ("raw", "messages"): "id",
    ("derived", "message_paths"): "message_id",
    ("derived", "linear_sequences"): "id",
    ("derived", "prompt_responses"): "id",
    ("derived", "prompt_response_content"): "prompt_response_id",
    ("derived", "exchanges"): "id",
    ("derived", "exchange_content"): "exchange_id",
    ("derived", "response_hashes"): "response_message_id",
    ("derived", "message_contexts"): "message_id",
    ("derived", "qa_chunks"): "chunk_id",
}
# Unique keys, which end with the dialogue, and now are indexes of their first column.
UNIQUE = {
    ("raw", "content_parts"): ("message_id", "sequence"),
    ("raw", "attachments"): ("message_id", "sequence"),
    ("derived", "linear_sequences"): ("leaf_message_id",),
    ("derived", "dialogue_pages"): ("exchange_id",),
    ("derived", "prompt_responses"): ("response_message_id",),
    ("derived", "exchanges"): ("last_message_id",),
}
# No id is made of the exchange of a page, so that key stays, in its other order.
UNIQUE_OF_PAGES = "uq_dialogue_pages_dialogue_id_exchange_id"
# Indexes of the dialogue alone, by which primary keys begin now.
OF_DIALOGUES = ("linear_sequences", "prompt_responses", "exchanges", "message_contexts")
# Foreign keys to those primary keys, of the user's own tables too; each partition has them from its table.
REFERRING = """
    SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid)
    FROM pg_constraint
    WHERE contype = 'f' AND conparentid = 0 AND confrelid = ANY(CAST(:tables AS regclass []))
    ORDER BY conrelid::regclass::text, conname
"""


def upgrade() -> None:
    foreign = drop_foreign_keys()
    for (schema, table), column in PRIMARY.items():
        replace_primary(schema, table, [DIALOGUE, column])
        op.create_index(f"ix_{table}_{column}", table, [column], schema=schema)
    for (schema, table), columns in UNIQUE.items():
        op.drop_constraint(unique_name(table, columns), table, schema=schema)
        op.create_index(f"ix_{table}_{columns[0]}", table, [columns[0]], schema=schema)
    op.create_unique_constraint(UNIQUE_OF_PAGES, "dialogue_pages", [DIALOGUE, "exchange_id"], schema="derived")
    for table in OF_DIALOGUES:
        op.drop_index(f"ix_{table}_{DIALOGUE}", table_name=table, schema="derived")
    add_foreign_keys(foreign)


def downgrade() -> None:
    foreign = drop_foreign_keys()
    for table in OF_DIALOGUES:
        op.create_index(f"ix_{table}_{DIALOGUE}", table, [DIALOGUE], schema="derived")
    op.drop_constraint(UNIQUE_OF_PAGES, "dialogue_pages", schema="derived")
    for (schema, table), columns in UNIQUE.items():
        drop_index(schema, table, columns[0])
        op.create_unique_constraint(unique_name(table, columns), table, [*columns, DIALOGUE], schema=schema)
    for (schema, table), column in PRIMARY.items():
        drop_index(schema, table, column)
        replace_primary(schema, table, [column, DIALOGUE])
    add_foreign_keys(foreign)


def drop_foreign_keys() -> list[Any]:
    """Drop the foreign keys to the tables whose primary keys change; return table, name and definition of each."""
    tables = [".".join(key) for key in PRIMARY]
    found = op.get_bind().execute(sa.text(REFERRING), {"tables": tables}).all()
    for table, name, _ in found:
        op.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    return list(found)


def add_foreign_keys(found: list[Any]) -> None:
    for table, name, definition in found:
        op.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")


def replace_primary(schema: str, table: str, columns: list[str]) -> None:
    op.drop_constraint(f"pk_{table}", table, schema=schema, type_="primary")
    op.create_primary_key(f"pk_{table}", table, columns, schema=schema)


def drop_index(schema: str, table: str, column: str) -> None:
    """Drop an index, which a process that was killed in a first load may not have made."""
    op.drop_index(f"ix_{table}_{column}", table_name=table, schema=schema, if_exists=True)


def unique_name(table: str, columns: tuple[str, ...]) -> str:
    return "_".join(("uq", table, *columns, DIALOGUE))
