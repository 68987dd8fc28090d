"""Documents, their pages, the messages they came with, and vectors of page images.

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

NOW = sa.text("now()")


def upgrade() -> None:
    op.create_table(
        "documents",
        sa.Column(
            "id",
            sa.Uuid(as_uuid=False),
            nullable=False,
            comment="uuid5 of the SHA-256: the same content is the same document",
        ),
        sa.Column("sha256", sa.Text(), nullable=False, comment="SHA-256 of the file's bytes (hex)"),
        sa.Column("file_name", sa.Text(), nullable=False, comment="Name of the file when it came first"),
        sa.Column(
            "extension",
            sa.Text(),
            nullable=False,
            comment="What it is by its content: pdf, docx, …; of text, the file's own",
        ),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False, comment="Size of the file"),
        sa.Column(
            "source_path", sa.Text(), nullable=False, comment="Where it came from: a path, or a place in an export"
        ),
        sa.Column(
            "origin", sa.Text(), nullable=False, comment="path (added by its path) or attachment (found with a message)"
        ),
        sa.Column("status", sa.Text(), nullable=False, comment="done, or failed (it could not be read)"),
        sa.Column("error", sa.Text(), nullable=True, comment="Why it could not be read; NULL if it was"),
        sa.Column("page_count", sa.Integer(), nullable=False, comment="Pages; 0 if it could not be read"),
        sa.Column("reader_version", sa.Integer(), nullable=False, comment="Version of the readers that read it"),
        sa.Column(
            "added_at", sa.DateTime(timezone=True), server_default=NOW, nullable=False, comment="When it came first"
        ),
        sa.Column(
            "read_at", sa.DateTime(timezone=True), server_default=NOW, nullable=False, comment="When it was last read"
        ),
        sa.CheckConstraint("origin IN ('path', 'attachment')", name=op.f("ck_documents_origin")),
        sa.CheckConstraint("status IN ('done', 'failed')", name=op.f("ck_documents_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sa.UniqueConstraint("sha256", name=op.f("uq_documents_sha256")),
        schema="raw",
        comment="Files with pages: added by path or found as attachments",
    )
    op.create_table(
        "document_pages",
        sa.Column("document_id", sa.Uuid(as_uuid=False), nullable=False, comment="The document"),
        sa.Column("page", sa.Integer(), autoincrement=False, nullable=False, comment="Number of the page, from 1"),
        sa.Column("markdown", sa.Text(), nullable=False, comment="Text of the page"),
        sa.Column(
            "section_path",
            sa.Text(),
            nullable=True,
            comment="Headings that its beginning stands below: Introduction > Methods",
        ),
        sa.Column("parent_heading", sa.Text(), nullable=True, comment="The last of them"),
        sa.Column("num_headings", sa.Integer(), nullable=False, comment="Headings on it"),
        sa.Column("num_tables", sa.Integer(), nullable=False, comment="Tables on it"),
        sa.Column("num_pictures", sa.Integer(), nullable=False, comment="Pictures on it"),
        sa.Column(
            "image_path",
            sa.Text(),
            nullable=True,
            comment="Its image, below ARCHIVE_HOME; NULL for formats without pages",
        ),
        sa.Column("thumb_path", sa.Text(), nullable=True, comment="A small one"),
        sa.CheckConstraint("page >= 1", name=op.f("ck_document_pages_page")),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["raw.documents.id"],
            name=op.f("fk_document_pages_document_id_documents"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("document_id", "page", name=op.f("pk_document_pages")),
        schema="raw",
        comment="Pages of documents",
    )
    op.create_table(
        "document_attachments",
        sa.Column("document_id", sa.Uuid(as_uuid=False), nullable=False, comment="The document"),
        sa.Column("message_id", sa.Uuid(as_uuid=False), nullable=False, comment="Message it came with"),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["raw.documents.id"],
            name=op.f("fk_document_attachments_document_id_documents"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["message_id"],
            ["raw.messages.id"],
            name=op.f("fk_document_attachments_message_id_messages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("document_id", "message_id", name=op.f("pk_document_attachments")),
        schema="raw",
        comment="Messages that a document came with",
    )
    op.create_index(
        op.f("ix_document_attachments_message_id"), "document_attachments", ["message_id"], unique=False, schema="raw"
    )
    op.create_table(
        "page_vectors",
        sa.Column(
            "model", sa.Text(), nullable=False, comment="Model that made the vectors, as in ARCHIVE_VISUAL_MODEL"
        ),
        sa.Column("document_id", sa.Uuid(as_uuid=False), nullable=False, comment="The document"),
        sa.Column("page", sa.Integer(), autoincrement=False, nullable=False, comment="The page"),
        sa.Column("dimensions", sa.Integer(), nullable=False, comment="Numbers in a vector"),
        sa.Column(
            "pooled",
            sa.LargeBinary(),
            nullable=False,
            comment="Direction of their mean: 32-bit floats, little-endian",
        ),
        sa.Column(
            "vectors",
            sa.LargeBinary(),
            nullable=False,
            comment="One vector after the other: 16-bit floats, little-endian",
        ),
        sa.ForeignKeyConstraint(
            ["document_id", "page"],
            ["raw.document_pages.document_id", "raw.document_pages.page"],
            name=op.f("fk_page_vectors_document_id_document_pages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("model", "document_id", "page", name=op.f("pk_page_vectors")),
        schema="derived",
        comment="What a late-interaction model makes of page images: many vectors a page, and one to find candidates by",
    )
    op.create_index(
        op.f("ix_page_vectors_document_id_page"),
        "page_vectors",
        ["document_id", "page"],
        unique=False,
        schema="derived",
    )
    # Vectors of floats do not get smaller, and reading them is what a search waits for.
    op.execute("ALTER TABLE derived.page_vectors ALTER COLUMN vectors SET STORAGE EXTERNAL")


def downgrade() -> None:
    op.drop_table("page_vectors", schema="derived")
    for table in ("document_attachments", "document_pages", "documents"):
        op.drop_table(table, schema="raw")
