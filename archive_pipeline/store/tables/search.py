"""Schema ``derived``, for search: vectors of chunks, and what is in the vector store.

PostgreSQL searches ``chunk_embeddings`` itself; Chroma is a copy that can be made anew from it. Nothing here belongs to
one dialogue, so nothing of it is in ``build_state``.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    func,
)

from archive_pipeline.store.tables.base import DERIVED, metadata, one_of, uuid_column
from archive_pipeline.store.tables.half_vector import HalfVector

COLLECTIONS: Final = ["text", "visual"]

embedding_generations: Final = Table(
    "embedding_generations",
    metadata,
    Column("generation_id", Integer, Identity(), primary_key=True, comment="Number of the generation"),
    Column("model", Text, nullable=False, unique=True, comment="What made the vectors, as in ARCHIVE_EMBEDDING_MODEL"),
    Column("dimensions", Integer, nullable=False, comment="Numbers in a vector"),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="First use"),
    Column("chance_vector_count", Integer, comment="Vectors when the chances below were measured; NULL before"),
    Column("usual_chance", Double, comment="Cosine that half of all questions of made-up words reach with some text"),
    Column("high_chance", Double, comment="Cosine that one of twenty such questions reaches"),
    Column("highest_chance_of_few", Double, comment="Highest cosine of such questions of one or two words"),
    schema=DERIVED,
    comment="Embedding models whose vectors are kept; deleting a row deletes its vectors and indexes",
)

chunk_embeddings: Final = Table(
    "chunk_embeddings",
    metadata,
    Column(
        "generation_id",
        Integer,
        ForeignKey("derived.embedding_generations.generation_id", ondelete="CASCADE"),
        primary_key=True,
        comment="Model that made the vector",
    ),
    Column("content_hash", Text, primary_key=True, comment="SHA-256 of the text (hex), as in qa_chunks"),
    Column("vector", LargeBinary, comment="32-bit floats, little-endian, of length 1: for Chroma"),
    # Not there on a server without pgvector; `store.vector_extension` adds it when the extension comes.
    Column("half_vector", HalfVector, comment="16-bit floats: what PostgreSQL itself searches, with pgvector"),
    schema=DERIVED,
    comment="One vector per model and different text, in the one of two forms that the vector index needs",
)

query_alignments: Final = Table(
    "query_alignments",
    metadata,
    Column("alignment_id", Integer, Identity(), primary_key=True, comment="Number of the map; a new one has another"),
    Column(
        "generation_id",
        Integer,
        ForeignKey("derived.embedding_generations.generation_id", ondelete="CASCADE"),
        nullable=False,
        unique=True,
        comment="Model of the texts",
    ),
    Column("query_model", Text, nullable=False, comment="What reads queries, as in ARCHIVE_QUERY_MODEL"),
    Column("vector_count", Integer, nullable=False, comment="Vectors when it was fitted"),
    Column(
        "matrix",
        LargeBinary,
        nullable=False,
        comment="32-bit floats, little-endian: a row per number of the query model's vectors, and one that is added",
    ),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="Fitted at"),
    schema=DERIVED,
    comment="Maps that take vectors of queries by one model to those of texts by another one",
)

vector_indexes: Final = Table(
    "vector_indexes",
    metadata,
    uuid_column("index_id", "Id, which the collections carry in their metadata", primary_key=True),
    Column(
        "generation_id",
        Integer,
        ForeignKey("derived.embedding_generations.generation_id", ondelete="CASCADE"),
        nullable=False,
        comment="Model of its vectors",
    ),
    Column(
        "location", Text, nullable=False, comment="Folder or URL of Chroma; `postgresql` for the archive's own server"
    ),
    Column("is_active", Boolean, nullable=False, comment="The one that is searched; the others are being built"),
    Column(
        "created_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When it was begun"
    ),
    Column(
        "changed_at",
        DateTime(timezone=True),
        nullable=False,
        server_default=func.now(),
        comment="When it was last brought up to date: who has it open reads it anew",
    ),
    Index("uq_vector_indexes_active", "location", unique=True, postgresql_where="is_active"),
    schema=DERIVED,
    comment="Indexes that are searched or being built: in Chroma, or the vectors in PostgreSQL",
)

vector_index_entries: Final = Table(
    "vector_index_entries",
    metadata,
    uuid_column(
        "index_id", "The index", ForeignKey("derived.vector_indexes.index_id", ondelete="CASCADE"), primary_key=True
    ),
    Column("collection", Text, primary_key=True, comment="text (chunks) or visual (pages)"),
    Column("entry_id", Text, primary_key=True, comment="chunk_id, or <dialogue>:<page>"),
    Column("entry_hash", Text, nullable=False, comment="What the entry was made from; another one means it is stale"),
    CheckConstraint(one_of("collection", COLLECTIONS), name="collection"),
    schema=DERIVED,
    comment="What has been written to Chroma",
)

SEARCH_TABLES: Final = (
    embedding_generations,
    chunk_embeddings,
    query_alignments,
    vector_indexes,
    vector_index_entries,
)
