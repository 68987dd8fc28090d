"""Maps of queries that another model reads than the texts.

Revision ID: 0029
Revises: 0028
"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    op.create_table(
        "query_alignments",
        sa.Column("alignment_id", sa.Integer(), sa.Identity(), comment="Number of the map; a new one has another"),
        sa.Column("generation_id", sa.Integer(), nullable=False, comment="Model of the texts"),
        sa.Column("query_model", sa.Text(), nullable=False, comment="What reads queries, as in ARCHIVE_QUERY_MODEL"),
        sa.Column("vector_count", sa.Integer(), nullable=False, comment="Vectors when it was fitted"),
        sa.Column(
            "matrix",
            sa.LargeBinary(),
            nullable=False,
            comment="32-bit floats, little-endian: a row per number of the query model's vectors, and one that is added",
        ),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.func.now(),
            nullable=False,
            comment="Fitted at",
        ),
        sa.PrimaryKeyConstraint("alignment_id", name="pk_query_alignments"),
        sa.ForeignKeyConstraint(
            ["generation_id"],
            ["derived.embedding_generations.generation_id"],
            name="fk_query_alignments_generation_id_embedding_generations",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("generation_id", name="uq_query_alignments_generation_id"),
        schema="derived",
        comment="Maps that take vectors of queries by one model to those of texts by another one",
    )


def downgrade() -> None:
    op.drop_table("query_alignments", schema="derived")
