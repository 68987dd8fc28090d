"""Chunks of question-answer pairs, their vectors, and what is in the vector store.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

# As in 0001: compressing takes longer than writing, and vectors of floats do not get smaller.
UNCOMPRESSED = {"qa_chunks": "text", "chunk_embeddings": "vector"}


def upgrade() -> None:
    op.create_table(
        "embedding_generations",
        sa.Column(
            "generation_id", sa.Integer(), sa.Identity(always=False), nullable=False, comment="Number of the generation"
        ),
        sa.Column("model", sa.Text(), nullable=False, comment="What made the vectors, as in ARCHIVE_EMBEDDING_MODEL"),
        sa.Column("dimensions", sa.Integer(), nullable=False, comment="Numbers in a vector"),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="First use",
        ),
        sa.PrimaryKeyConstraint("generation_id", name=op.f("pk_embedding_generations")),
        sa.UniqueConstraint("model", name=op.f("uq_embedding_generations_model")),
        schema="derived",
        comment="Embedding models whose vectors are kept; deleting a row deletes its vectors and indexes",
    )
    op.create_table(
        "chunk_embeddings",
        sa.Column("generation_id", sa.Integer(), nullable=False, comment="Model that made the vector"),
        sa.Column("content_hash", sa.Text(), nullable=False, comment="SHA-256 of the text (hex), as in qa_chunks"),
        sa.Column("vector", sa.LargeBinary(), nullable=False, comment="32-bit floats, little-endian, of length 1"),
        sa.ForeignKeyConstraint(
            ["generation_id"],
            ["derived.embedding_generations.generation_id"],
            name=op.f("fk_chunk_embeddings_generation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("generation_id", "content_hash", name=op.f("pk_chunk_embeddings")),
        schema="derived",
        comment="One vector per model and different text",
    )
    op.create_table(
        "vector_indexes",
        sa.Column(
            "index_id",
            sa.Uuid(as_uuid=False),
            nullable=False,
            comment="Id, which the collections carry in their metadata",
        ),
        sa.Column("generation_id", sa.Integer(), nullable=False, comment="Model of its vectors"),
        sa.Column("location", sa.Text(), nullable=False, comment="Folder or URL of the vector store"),
        sa.Column(
            "is_active", sa.Boolean(), nullable=False, comment="The one that is searched; the others are being built"
        ),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When it was begun",
        ),
        sa.Column(
            "changed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When it was last brought up to date: who has it open reads it anew",
        ),
        sa.ForeignKeyConstraint(
            ["generation_id"],
            ["derived.embedding_generations.generation_id"],
            name=op.f("fk_vector_indexes_generation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("index_id", name=op.f("pk_vector_indexes")),
        schema="derived",
        comment="Indexes in vector stores: a text and a visual collection each",
    )
    op.create_index(
        "uq_vector_indexes_active",
        "vector_indexes",
        ["location"],
        unique=True,
        schema="derived",
        postgresql_where="is_active",
    )
    op.create_table(
        "vector_index_entries",
        sa.Column("index_id", sa.Uuid(as_uuid=False), nullable=False, comment="The index"),
        sa.Column("collection", sa.Text(), nullable=False, comment="text (chunks) or visual (pages)"),
        sa.Column("entry_id", sa.Text(), nullable=False, comment="chunk_id, or <dialogue>:<page>"),
        sa.Column(
            "entry_hash",
            sa.Text(),
            nullable=False,
            comment="What the entry was made from; another one means it is stale",
        ),
        sa.CheckConstraint("collection IN ('text', 'visual')", name=op.f("ck_vector_index_entries_collection")),
        sa.ForeignKeyConstraint(
            ["index_id"],
            ["derived.vector_indexes.index_id"],
            name=op.f("fk_vector_index_entries_index_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("index_id", "collection", "entry_id", name=op.f("pk_vector_index_entries")),
        schema="derived",
        comment="What has been written to the vector store",
    )
    op.create_table(
        "dialogue_pages",
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column(
            "page",
            sa.Integer(),
            nullable=False,
            comment="From 1: the primary path as one reads it, then the other branches",
        ),
        sa.Column("exchange_id", sa.Uuid(as_uuid=False), nullable=False, comment="The exchange"),
        sa.Column("is_on_primary_path", sa.Boolean(), nullable=False, comment="The exchange is on the primary path"),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_dialogue_pages_dialogue_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dialogue_id", "page", name=op.f("pk_dialogue_pages")),
        sa.UniqueConstraint("exchange_id", name=op.f("uq_dialogue_pages_exchange_id")),
        schema="derived",
        comment="A dialogue as a document: each exchange is a page, by which search results are cited (seed 002)",
    )
    op.create_table(
        "qa_chunks",
        sa.Column("chunk_id", sa.Uuid(as_uuid=False), nullable=False, comment="uuid5 of (pair, side, index)"),
        sa.Column("pair_id", sa.Text(), nullable=False, comment="The pair"),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("side", sa.Text(), nullable=False, comment="question or answer"),
        sa.Column("chunk_index", sa.Integer(), nullable=False, comment="Place among the chunks of the side, from 0"),
        sa.Column(
            "start_offset", sa.Integer(), nullable=False, comment="Where it begins in the side's text, in characters"
        ),
        sa.Column("end_offset", sa.Integer(), nullable=False, comment="Where it ends"),
        sa.Column("text", sa.Text(), nullable=False, comment="The side's text between the offsets"),
        sa.Column("token_count", sa.Integer(), nullable=False, comment="Tokens of the text (cl100k_base)"),
        sa.Column("page", sa.Integer(), nullable=False, comment="First page of the dialogue with the pair's answer"),
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
            comment="Other answers to the same question say nearly all of it",
        ),
        sa.CheckConstraint("side IN ('question', 'answer')", name=op.f("ck_qa_chunks_side")),
        sa.CheckConstraint("start_offset < end_offset", name=op.f("ck_qa_chunks_offsets")),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_qa_chunks_dialogue_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("chunk_id", name=op.f("pk_qa_chunks")),
        sa.UniqueConstraint("pair_id", "side", "chunk_index", name=op.f("uq_qa_chunks_pair_id_side_chunk_index")),
        schema="derived",
        comment="Pieces of questions and answers, which are embedded and searched (seed 004)",
    )
    op.create_index(op.f("ix_qa_chunks_content_hash"), "qa_chunks", ["content_hash"], unique=False, schema="derived")
    op.create_index(
        op.f("ix_qa_chunks_dialogue_id_page"), "qa_chunks", ["dialogue_id", "page"], unique=False, schema="derived"
    )
    for table, column in UNCOMPRESSED.items():
        op.execute(f"ALTER TABLE derived.{table} ALTER COLUMN {column} SET STORAGE EXTERNAL")


def downgrade() -> None:
    op.drop_index(op.f("ix_qa_chunks_dialogue_id_page"), table_name="qa_chunks", schema="derived")
    op.drop_index(op.f("ix_qa_chunks_content_hash"), table_name="qa_chunks", schema="derived")
    op.drop_table("qa_chunks", schema="derived")
    op.drop_table("dialogue_pages", schema="derived")
    op.drop_table("vector_index_entries", schema="derived")
    op.drop_index(
        "uq_vector_indexes_active", table_name="vector_indexes", schema="derived", postgresql_where="is_active"
    )
    op.drop_table("vector_indexes", schema="derived")
    op.drop_table("chunk_embeddings", schema="derived")
    op.drop_table("embedding_generations", schema="derived")
