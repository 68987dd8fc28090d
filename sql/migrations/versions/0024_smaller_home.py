"""Less on disk: events of Dagster by their shapes, no index that says what another one does.

``dagster.event_shapes`` has what the events of a batch have in common; ``dagster.event_text`` returns the whole text of
an event. Events that are there stay as they are. No row of the archive changes.

Revision ID: 0024
Revises: 0023
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

COMMENTS = {
    "TABLE dagster.event_shapes": "What the events of a batch have in common; not a table of Dagster",
    "COLUMN dagster.event_shapes.id": "Id of its first event",
    "COLUMN dagster.event_shapes.last_event_id": "Id of its last event",
    "COLUMN dagster.event_shapes.text": "Text of the events with %s for each value that differs, as format() takes it",
    "FUNCTION dagster.event_text": "Whole text of a row of event_logs, whose events of a batch have only what differs",
}
EVENT_TEXT = """
CREATE FUNCTION dagster.event_text(event text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE
        WHEN left(event_text.event, 1) = '{' THEN event_text.event
        ELSE (
            SELECT format(shape.text, VARIADIC (string_to_array(event_text.event, E'\\n'))[2:])
            FROM dagster.event_shapes AS shape
            WHERE shape.id = split_part(event_text.event, E'\\n', 1)::bigint
        )
    END;
END
"""
CHUNKS_OF_PAIR = ("pair_id", "side", "chunk_index", "dialogue_id")


def upgrade() -> None:
    op.create_table(
        "event_shapes",
        sa.Column("id", sa.BigInteger(), autoincrement=False, primary_key=True),
        sa.Column("last_event_id", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        schema="dagster",
    )
    op.execute(EVENT_TEXT)
    for item, words in COMMENTS.items():
        op.execute(f"COMMENT ON {item} IS '{words}'")
    op.create_index("ix_qa_chunks_pair_id", "qa_chunks", ["pair_id"], schema="derived")
    op.drop_constraint(f"uq_qa_chunks_{'_'.join(CHUNKS_OF_PAIR)}", "qa_chunks", schema="derived")


def downgrade() -> None:
    op.create_unique_constraint(
        f"uq_qa_chunks_{'_'.join(CHUNKS_OF_PAIR)}", "qa_chunks", list(CHUNKS_OF_PAIR), schema="derived"
    )
    op.drop_index("ix_qa_chunks_pair_id", "qa_chunks", schema="derived")
    if op.get_bind().execute(sa.text("SELECT to_regclass('dagster.event_logs')")).scalar() is not None:
        op.execute("UPDATE dagster.event_logs SET event = dagster.event_text(event) WHERE left(event, 1) <> '{'")
    op.execute("DROP FUNCTION dagster.event_text")
    op.drop_table("event_shapes", schema="dagster")
