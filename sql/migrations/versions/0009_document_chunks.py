"""Chunks of the pages of documents.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"

# That of qa_chunks (0007).
SEARCH_VECTOR = (
    "to_tsvector('simple', text) || to_tsvector('simple', regexp_replace(regexp_replace(text, "
    "'([a-z0-9])([A-Z])|[._/:#@-]', '\\1 \\2', 'g'), '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])', ' \\1 ', 'g')) "
    "|| to_tsvector(language, text)"
)


def upgrade() -> None:
    op.create_table(
        "document_chunks",
        sa.Column("chunk_id", sa.Uuid(as_uuid=False), nullable=False, comment="uuid5 of (document, page, index)"),
        sa.Column("document_id", sa.Uuid(as_uuid=False), nullable=False, comment="The document"),
        sa.Column("page", sa.Integer(), nullable=False, comment="The page"),
        sa.Column("chunk_index", sa.Integer(), nullable=False, comment="Place among the chunks of the page, from 0"),
        sa.Column(
            "start_offset", sa.Integer(), nullable=False, comment="Where it begins in the page's text, in characters"
        ),
        sa.Column("end_offset", sa.Integer(), nullable=False, comment="Where it ends"),
        sa.Column("text", sa.Text(), nullable=False, comment="The page's text between the offsets"),
        sa.Column("token_count", sa.Integer(), nullable=False, comment="Tokens of the text (cl100k_base)"),
        sa.Column(
            "content_hash",
            sa.Text(),
            nullable=False,
            comment="SHA-256 of the text (hex): equal texts are embedded once",
        ),
        sa.Column(
            "language",
            postgresql.REGCONFIG(),
            nullable=False,
            comment="Text search configuration of its language; simple if there is none or the text does not tell",
        ),
        sa.Column(
            "search_vector",
            postgresql.TSVECTOR(),
            sa.Computed(SEARCH_VECTOR, persisted=True),
            comment="Words as they are, parts of identifiers, and word stems of the language",
        ),
        sa.CheckConstraint("start_offset < end_offset", name=op.f("ck_document_chunks_offsets")),
        sa.ForeignKeyConstraint(
            ["document_id", "page"],
            ["raw.document_pages.document_id", "raw.document_pages.page"],
            name=op.f("fk_document_chunks_document_id_page"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("chunk_id", name=op.f("pk_document_chunks")),
        sa.UniqueConstraint(
            "document_id", "page", "chunk_index", name=op.f("uq_document_chunks_document_id_page_chunk_index")
        ),
        schema="derived",
        comment="Pieces of the pages of documents, which are embedded and searched",
    )
    op.create_index(
        "ix_document_chunks_search_vector",
        "document_chunks",
        ["search_vector"],
        schema="derived",
        postgresql_using="gin",
    )
    op.create_index(
        op.f("ix_document_chunks_content_hash"), "document_chunks", ["content_hash"], unique=False, schema="derived"
    )
    # As in 0006: compressing takes longer than writing.
    op.execute("ALTER TABLE derived.document_chunks ALTER COLUMN text SET STORAGE EXTERNAL")
    op.create_table(
        "document_builds",
        sa.Column("document_id", sa.Uuid(as_uuid=False), nullable=False, comment="The document"),
        sa.Column(
            "read_at",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="The reading of the document they were built from",
        ),
        sa.Column(
            "code_version", sa.Text(), nullable=False, comment="Version of the code and settings that built them"
        ),
        sa.Column(
            "built_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False, comment="When"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["raw.documents.id"],
            name=op.f("fk_document_builds_document_id_documents"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_document_builds")),
        schema="derived",
        comment="What the chunks of each document were built from: the truth about what is stale",
    )


def downgrade() -> None:
    op.drop_table("document_builds", schema="derived")
    op.drop_index("ix_document_chunks_search_vector", table_name="document_chunks", schema="derived")
    op.drop_table("document_chunks", schema="derived")
