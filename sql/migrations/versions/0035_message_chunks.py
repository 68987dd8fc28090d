"""Chunks of what messages say in no question-answer pair.

Revision ID: 0035
Revises: 0034
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0035"
down_revision = "0034"

_TABLE = "message_chunks"
_INDEXES = (("chunk_id",), ("message_id",), ("dialogue_id", "page"), ("content_hash",))
_COMMENT = "Pieces of what messages say in no question-answer pair, which are embedded and searched"


def upgrade() -> None:
    op.create_table(
        _TABLE,
        sa.Column("chunk_id", sa.Uuid(), nullable=False, comment="uuid5 of (message or part, index)"),
        sa.Column("dialogue_id", sa.Uuid(), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("message_id", sa.Uuid(), nullable=False, comment="Message that says it"),
        sa.Column("part_id", sa.Uuid(), comment="Artifact or code that it is of; NULL: of the message's text"),
        _number("chunk_index", "Place among the chunks of the text, from 0"),
        _number("start_offset", "Where it begins in the text, in characters"),
        _number("end_offset", "Where it ends"),
        sa.Column("text", sa.Text(), nullable=False, comment="The text between the offsets"),
        _number("token_count", "Tokens of the text (cl100k_base)"),
        _number("page", "First page of the dialogue with the message"),
        sa.Column(
            "content_hash",
            sa.Text(),
            nullable=False,
            comment="SHA-256 of the text (hex): equal texts are embedded once",
        ),
        sa.Column(
            "is_near_duplicate",
            sa.Boolean(),
            nullable=False,
            comment="Its message, or an artifact that is preferred to it, says nearly all of it",
        ),
        sa.Column(
            "language",
            postgresql.REGCONFIG(),
            nullable=False,
            comment="Text search configuration of its language; simple if there is none or the text does not tell",
        ),
        sa.Column(
            "chunk_number",
            sa.BigInteger(),
            server_default=sa.text("nextval('derived.chunk_numbers'::regclass)"),
            nullable=True,
            comment="Number in the lexical index, given when the row is written and never again",
        ),
        sa.CheckConstraint("start_offset < end_offset", name=op.f(f"ck_{_TABLE}_offsets")),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f(f"fk_{_TABLE}_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["message_id", "dialogue_id"],
            ["raw.messages.id", "raw.messages.dialogue_id"],
            name=op.f(f"fk_{_TABLE}_message_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("dialogue_id", "chunk_id", name=op.f(f"pk_{_TABLE}")),
        sa.UniqueConstraint("chunk_number", "dialogue_id", name=op.f(f"uq_{_TABLE}_chunk_number_dialogue_id")),
        schema="derived",
        comment=_COMMENT,
    )
    for columns in _INDEXES:
        op.create_index(op.f(f"ix_{_TABLE}_{'_'.join(columns)}"), _TABLE, list(columns), schema="derived")
    op.create_index(
        op.f(f"ix_{_TABLE}_part_id"), _TABLE, ["part_id"], schema="derived", postgresql_where="part_id IS NOT NULL"
    )


def downgrade() -> None:
    _drop_views()
    op.drop_table(_TABLE, schema="derived")


def _drop_views() -> None:
    """Drop the project's views, the last first, which are all made anew after a migration."""
    views = (
        "SELECT relname FROM pg_class WHERE relnamespace = 'derived'::regnamespace AND relkind = 'v'"
        " AND obj_description(oid) LIKE 'Made by llm-archive from sql/views/%' ORDER BY obj_description(oid) DESC"
    )
    for (name,) in op.get_bind().execute(sa.text(views)).all():
        op.execute(f"DROP VIEW derived.{name}")


def _number(name: str, comment: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False, comment=comment)
