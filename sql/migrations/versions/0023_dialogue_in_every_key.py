"""Every unique key and foreign key of rows of dialogues contains the dialogue, by which tables can be spread.

No row changes but those of three tables that get the column; nothing is built anew.

Revision ID: 0023
Revises: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

DIALOGUE = "dialogue_id"
# Tables that get the column: where its value comes from.
FILLED = {
    ("derived", "prompt_response_content"): ("prompt_response_id", "derived.prompt_responses"),
    ("derived", "exchange_content"): ("exchange_id", "derived.exchanges"),
    ("raw", "document_attachments"): ("message_id", "raw.messages"),
}
# Primary keys, without the dialogue and with it.
PRIMARY = {
    ("raw", "messages"): (("id",), ("id", DIALOGUE)),
    ("raw", "content_parts"): (("id",), ("id", DIALOGUE)),
    ("raw", "attachments"): (("id",), ("id", DIALOGUE)),
    ("raw", "attached_files"): (("message_id", "pointer"), ("message_id", "pointer", DIALOGUE)),
    ("raw", "document_attachments"): (("document_id", "message_id"), ("document_id", "message_id", DIALOGUE)),
    ("annotations", "annotations"): (("id",), ("id", DIALOGUE)),
    ("derived", "message_paths"): (("message_id",), ("message_id", DIALOGUE)),
    ("derived", "linear_sequences"): (("id",), ("id", DIALOGUE)),
    ("derived", "prompt_responses"): (("id",), ("id", DIALOGUE)),
    ("derived", "prompt_response_content"): (("prompt_response_id",), ("prompt_response_id", DIALOGUE)),
    ("derived", "exchanges"): (("id",), ("id", DIALOGUE)),
    ("derived", "exchange_content"): (("exchange_id",), ("exchange_id", DIALOGUE)),
    ("derived", "response_hashes"): (("response_message_id",), ("response_message_id", DIALOGUE)),
    ("derived", "message_contexts"): (("message_id",), ("message_id", DIALOGUE)),
    ("derived", "duplicate_clusters"): (("entity_id", "method"), ("entity_id", DIALOGUE, "method")),
    ("derived", "qa_pairs"): (("pair_id",), ("pair_id", DIALOGUE)),
    ("derived", "qa_chunks"): (("chunk_id",), ("chunk_id", DIALOGUE)),
}
# Other unique keys, to which the dialogue is appended.
UNIQUE = [
    ("raw", "content_parts", ("message_id", "sequence")),
    ("raw", "attachments", ("message_id", "sequence")),
    ("derived", "linear_sequences", ("leaf_message_id",)),
    ("derived", "dialogue_pages", ("exchange_id",)),
    ("derived", "prompt_responses", ("response_message_id",)),
    ("derived", "exchanges", ("last_message_id",)),
    ("derived", "qa_chunks", ("pair_id", "side", "chunk_index")),
    ("derived", "qa_chunks", ("chunk_number",)),
]
# Unique keys of dialogues that their id stands for; they become indexes.
OF_DIALOGUES = [("source", "source_id"), ("partition_key",)]
# Foreign keys to a row of the same dialogue.
TO_MESSAGES = [
    ("raw", "messages", "parent_id"),
    ("raw", "content_parts", "message_id"),
    ("raw", "attachments", "message_id"),
    ("raw", "attached_files", "message_id"),
    ("raw", "document_attachments", "message_id"),
    ("annotations", "annotations", "message_id"),
    ("derived", "message_paths", "message_id"),
    ("derived", "linear_sequences", "leaf_message_id"),
    ("derived", "prompt_responses", "prompt_message_id"),
    ("derived", "prompt_responses", "response_message_id"),
    ("derived", "exchanges", "first_message_id"),
    ("derived", "exchanges", "last_message_id"),
    ("derived", "response_hashes", "response_message_id"),
    ("derived", "message_contexts", "message_id"),
    ("derived", "qa_pairs", "source_message_id"),
]
FOREIGN = [(*each, "raw", "messages") for each in TO_MESSAGES] + [
    ("derived", "prompt_response_content", "prompt_response_id", "derived", "prompt_responses"),
    ("derived", "exchange_content", "exchange_id", "derived", "exchanges"),
]


def upgrade() -> None:
    for schema, table, column, *_ in FOREIGN:
        drop_foreign(schema, table, [column])
    drop_foreign("raw", "dialogue_links", ["original_id"])
    for (schema, table), (old, _) in PRIMARY.items():
        drop_primary(schema, table, old)
    for (schema, table), (key, parent) in FILLED.items():
        fill(schema, table, key, parent)
    for (schema, table), (_, new) in PRIMARY.items():
        op.create_primary_key(f"pk_{table}", table, list(new), schema=schema)
    for schema, table, columns in UNIQUE:
        replace_unique(schema, table, columns, (*columns, DIALOGUE))
    for columns in OF_DIALOGUES:
        name = "_".join(columns)
        op.drop_constraint(f"uq_dialogues_{name}", "dialogues", schema="raw")
        op.create_index(f"ix_dialogues_{name}", "dialogues", list(columns), schema="raw")
    op.drop_index("uq_duplicate_clusters_kept", "duplicate_clusters", schema="derived")
    op.create_index(
        "ix_duplicate_clusters_kept",
        "duplicate_clusters",
        ["cluster_id"],
        schema="derived",
        postgresql_where=sa.text("is_kept"),
    )
    comment("partition_key", "<source>-<source_id>; never changes, each once")
    for each in FOREIGN:
        refer(*each, with_dialogue=True)


def downgrade() -> None:
    for schema, table, column, *_ in FOREIGN:
        drop_foreign(schema, table, [column, DIALOGUE])
    for (schema, table), (old, new) in PRIMARY.items():
        drop_primary(schema, table, new)
        op.create_primary_key(f"pk_{table}", table, list(old), schema=schema)
    for schema, table, columns in UNIQUE:
        replace_unique(schema, table, (*columns, DIALOGUE), columns)
    for columns in OF_DIALOGUES:
        name = "_".join(columns)
        op.drop_index(f"ix_dialogues_{name}", "dialogues", schema="raw")
        op.create_unique_constraint(f"uq_dialogues_{name}", "dialogues", list(columns), schema="raw")
    op.drop_index("ix_duplicate_clusters_kept", "duplicate_clusters", schema="derived")
    op.create_index(
        "uq_duplicate_clusters_kept",
        "duplicate_clusters",
        ["cluster_id"],
        unique=True,
        schema="derived",
        postgresql_where=sa.text("is_kept"),
    )
    comment("partition_key", "<source>-<source_id>; never changes")
    drop_views()  # some join by the columns; opening the archive makes them anew
    for schema, table in FILLED:
        op.drop_column(table, DIALOGUE, schema=schema)
    for each in FOREIGN:
        refer(*each, with_dialogue=False)
    op.create_foreign_key(
        "fk_dialogue_links_original_id",
        "dialogue_links",
        "dialogues",
        ["original_id"],
        ["id"],
        source_schema="raw",
        referent_schema="raw",
        ondelete="CASCADE",
    )


def drop_foreign(schema: str, table: str, columns: list[str]) -> None:
    """Drop the foreign key of some columns, whatever the version that made it called it."""
    keys = sa.inspect(op.get_bind()).get_foreign_keys(table, schema=schema)
    [name] = [key["name"] for key in keys if key["constrained_columns"] == columns]
    op.drop_constraint(str(name), table, schema=schema)


def drop_primary(schema: str, table: str, columns: tuple[str, ...]) -> None:
    op.drop_constraint(f"pk_{table}", table, schema=schema)
    for column in columns:
        op.alter_column(table, column, nullable=False, schema=schema)


def fill(schema: str, table: str, key: str, parent: str) -> None:
    """Add the dialogue of each row's parent; the tables have no index meanwhile."""
    words = "Dialogue of the row it belongs to"
    op.add_column(table, sa.Column(DIALOGUE, sa.Uuid(as_uuid=False), comment=words), schema=schema)
    op.execute(
        f"UPDATE {schema}.{table} AS child SET {DIALOGUE} = parent.{DIALOGUE}"  # noqa: S608
        f" FROM {parent} AS parent WHERE child.{key} = parent.id"
    )
    op.alter_column(table, DIALOGUE, nullable=False, schema=schema)


def replace_unique(schema: str, table: str, old: tuple[str, ...], new: tuple[str, ...]) -> None:
    op.drop_constraint(f"uq_{table}_{'_'.join(old)}", table, schema=schema)
    op.create_unique_constraint(f"uq_{table}_{'_'.join(new)}", table, list(new), schema=schema)


def refer(schema: str, table: str, column: str, of_schema: str, of: str, *, with_dialogue: bool) -> None:
    more = [DIALOGUE] if with_dialogue else []
    is_own = (schema, table) == (of_schema, of)  # children may be written before their parents
    op.create_foreign_key(
        "_".join(["fk", table, column, *more]),
        table,
        of,
        [column, *more],
        ["id", *more],
        source_schema=schema,
        referent_schema=of_schema,
        ondelete="CASCADE",
        deferrable=True if is_own else None,
        initially="DEFERRED" if is_own else None,
    )


def comment(column: str, words: str) -> None:
    op.execute(f"COMMENT ON COLUMN raw.dialogues.{column} IS '{words}'")


def drop_views() -> None:
    views = (
        "SELECT relname FROM pg_class WHERE relnamespace = 'derived'::regnamespace AND relkind = 'v'"
        " AND obj_description(oid) LIKE 'Made by llm-archive from sql/views/%' ORDER BY obj_description(oid) DESC"
    )
    for (name,) in op.get_bind().execute(sa.text(views)).all():
        op.execute(f"DROP VIEW derived.{name}")
