"""Schema ``derived``: the lexical index, which says which chunks have which terms.

It is written in the transactions that write chunks, so it is never behind them. A segment is what one of these wrote:
chunks with consecutive numbers. A number is never given again, so what the index says of chunks that are gone finds
nothing, until their segment is written anew without them.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, LargeBinary, Table, Text, text

from archive_pipeline.store.tables.base import DERIVED, metadata

CHUNK_NUMBER: Final = "chunk_number"


def chunk_number_column() -> Column[Any]:
    """Return the column by which the lexical index knows the chunks of a table."""
    return Column(
        CHUNK_NUMBER,
        BigInteger,
        server_default=text("nextval('derived.chunk_numbers'::regclass)"),
        comment="Number in the lexical index, given when the row is written and never again",
    )


search_segments: Final = Table(
    "search_segments",
    metadata,
    Column(
        "first_number", BigInteger, primary_key=True, autoincrement=False, comment="chunk_number of the first chunk"
    ),
    Column("last_number", BigInteger, nullable=False, comment="chunk_number of the last chunk"),
    Column("chunk_count", Integer, nullable=False, comment="Chunks in it when it was written"),
    schema=DERIVED,
    comment="Segments of the lexical index: chunks that were written together",
)

search_postings: Final = Table(
    "search_postings",
    metadata,
    Column("term", Text(collation="C"), primary_key=True, comment="A word, a part of an identifier, or a word stem"),
    Column(
        "first_number",
        BigInteger,
        ForeignKey("derived.search_segments.first_number", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
        comment="The segment",
    ),
    Column("chunk_count", Integer, nullable=False, comment="Chunks of the segment that have the term"),
    Column(
        "ordinals",
        LargeBinary,
        nullable=False,
        comment="Their chunk_numbers less first_number, ascending: 16-bit integers, little-endian",
    ),
    Column("weights", LargeBinary, nullable=False, comment="BM25's weight of the term in each, in hundredths: bytes"),
    Index(None, "first_number"),
    schema=DERIVED,
    comment="Which chunks of a segment have a term",
)

LEXICAL_TABLES: Final = (search_segments, search_postings)
