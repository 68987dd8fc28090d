"""Full text search of chunks.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"

SEARCH_VECTOR = (
    "to_tsvector('simple', text) || to_tsvector('simple', regexp_replace(regexp_replace(text, "
    "'([a-z0-9])([A-Z])|[._/:#@-]', '\\1 \\2', 'g'), '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])', ' \\1 ', 'g')) "
    "|| to_tsvector(language, text)"
)


def upgrade() -> None:
    # Chunks are made anew by the next build: what there is has no language.
    op.execute("DELETE FROM derived.build_state WHERE asset = 'qa_chunks'")
    op.execute("DELETE FROM derived.qa_chunks")
    op.add_column(
        "qa_chunks",
        sa.Column(
            "language",
            postgresql.REGCONFIG(),
            nullable=False,
            comment="Text search configuration of its language; simple if there is none or the text does not tell",
        ),
        schema="derived",
    )
    op.add_column(
        "qa_chunks",
        sa.Column(
            "search_vector",
            postgresql.TSVECTOR(),
            sa.Computed(SEARCH_VECTOR, persisted=True),
            comment="Words as they are, parts of identifiers, and word stems of the language",
        ),
        schema="derived",
    )
    op.create_index(
        "ix_qa_chunks_search_vector", "qa_chunks", ["search_vector"], schema="derived", postgresql_using="gin"
    )


def downgrade() -> None:
    op.drop_index("ix_qa_chunks_search_vector", table_name="qa_chunks", schema="derived")
    op.drop_column("qa_chunks", "search_vector", schema="derived")
    op.drop_column("qa_chunks", "language", schema="derived")
