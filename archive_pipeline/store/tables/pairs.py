"""Schema ``derived``: question-answer pairs, their chunks and those of what is in no pair, which are searched."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import REGCONFIG

from archive_pipeline.store.tables.base import (
    DERIVED,
    DIALOGUE,
    LONG_ROWS_OF_DIALOGUES,
    ROWS_OF_DIALOGUES,
    dialogue_column,
    dialogue_first,
    message_key,
    metadata,
    one_of,
    uuid_column,
)
from archive_pipeline.store.tables.lexical import CHUNK_NUMBER, chunk_number_column

PAIR_TYPES: Final = ["conversation_turn", "trace_pair"]
ANSWER_RULES: Final = ["first", "final", "tool_result"]
CHUNK_SIDES: Final = ["question", "answer"]

qa_pairs: Final = Table(
    "qa_pairs",
    metadata,
    Column("pair_id", Text, primary_key=True, comment="<dialogue>:<start>, with @<end> or :<tool call> appended"),
    dialogue_column(primary_key=True),
    Column("pair_type", Text, nullable=False, comment="conversation_turn or trace_pair"),
    Column("start_sequence_number", Integer, nullable=False, comment="sequence_number of the question's message"),
    Column("end_sequence_number", Integer, nullable=False, comment="sequence_number of the answer's message"),
    uuid_column("source_message_id", "Message of the question"),
    Column(
        "question", Text, nullable=False, comment="User text, empty if the message has none, or the tool call as text"
    ),
    Column(
        "answer",
        Text,
        nullable=False,
        comment="Assistant text, empty if no message of the turn has any, or the tool's result",
    ),
    Column("answer_rule", Text, nullable=False, comment="Which answer was taken: first, final or tool_result"),
    Column("is_error", Boolean, nullable=False, comment="The tool reported an error"),
    Column("content_hash", Text, nullable=False, comment="SHA-256 over question and answer (hex)"),
    Column("workspace_id", Text, comment="Project of the dialogue, else its custom GPT, in the source's words"),
    Column("session_id", Text, comment="Id of the dialogue in its source, as in the chat's URL"),
    CheckConstraint(one_of("pair_type", PAIR_TYPES), name="pair_type"),
    CheckConstraint(one_of("answer_rule", ANSWER_RULES), name="answer_rule"),
    message_key("source_message_id"),
    Index(None, "dialogue_id"),
    Index(None, "source_message_id"),
    schema=DERIVED,
    info=LONG_ROWS_OF_DIALOGUES,
    comment="Question-answer pairs, the unit of embedding (seed 004)",
)


def search_columns() -> tuple[Column[Any], Column[Any]]:
    """Return the columns by which the texts of a table of chunks are searched."""
    return (
        Column(
            "language",
            REGCONFIG,
            nullable=False,
            comment="Text search configuration of its language; simple if there is none or the text does not tell",
        ),
        chunk_number_column(),
    )


qa_chunks: Final = Table(
    "qa_chunks",
    metadata,
    uuid_column("chunk_id", "uuid5 of (pair, side, index)"),
    Column("pair_id", Text, nullable=False, comment="The pair"),
    dialogue_column(),
    Column("side", Text, nullable=False, comment="question or answer"),
    Column("chunk_index", Integer, nullable=False, comment="Place among the chunks of the side, from 0"),
    Column("start_offset", Integer, nullable=False, comment="Where it begins in the side's text, in characters"),
    Column("end_offset", Integer, nullable=False, comment="Where it ends"),
    Column("text", Text, nullable=False, comment="The side's text between the offsets"),
    Column("token_count", Integer, nullable=False, comment="Tokens of the text (cl100k_base)"),
    Column("page", Integer, nullable=False, comment="First page of the dialogue with the pair's answer"),
    Column("content_hash", Text, nullable=False, comment="SHA-256 of the text (hex): equal texts are embedded once"),
    Column(
        "is_near_duplicate", Boolean, nullable=False, comment="Other answers to the same question say nearly all of it"
    ),
    *search_columns(),
    CheckConstraint(one_of("side", CHUNK_SIDES), name="side"),
    CheckConstraint("start_offset < end_offset", name="offsets"),
    dialogue_first("chunk_id"),
    UniqueConstraint(CHUNK_NUMBER, DIALOGUE),
    Index(None, "chunk_id"),
    # Not with side and chunk_index: they make the id, so the key would say again what the primary key says.
    Index(None, "pair_id"),
    Index(None, "dialogue_id", "page"),
    Index(None, "content_hash"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="Pieces of questions and answers, which are embedded and searched (seed 004)",
)

message_chunks: Final = Table(
    "message_chunks",
    metadata,
    uuid_column("chunk_id", "uuid5 of (message or part, index)"),
    dialogue_column(),
    uuid_column("message_id", "Message that says it"),
    uuid_column("part_id", "Artifact or code that it is of; NULL: of the message's text", nullable=True),
    Column("chunk_index", Integer, nullable=False, comment="Place among the chunks of the text, from 0"),
    Column("start_offset", Integer, nullable=False, comment="Where it begins in the text, in characters"),
    Column("end_offset", Integer, nullable=False, comment="Where it ends"),
    Column("text", Text, nullable=False, comment="The text between the offsets"),
    Column("token_count", Integer, nullable=False, comment="Tokens of the text (cl100k_base)"),
    Column("page", Integer, nullable=False, comment="First page of the dialogue with the message"),
    Column("content_hash", Text, nullable=False, comment="SHA-256 of the text (hex): equal texts are embedded once"),
    Column(
        "is_near_duplicate",
        Boolean,
        nullable=False,
        comment="Its message, or an artifact that is preferred to it, says nearly all of it",
    ),
    *search_columns(),
    CheckConstraint("start_offset < end_offset", name="offsets"),
    message_key(),
    dialogue_first("chunk_id"),
    UniqueConstraint(CHUNK_NUMBER, DIALOGUE),
    Index(None, "chunk_id"),
    Index(None, "message_id"),
    Index(None, "part_id", postgresql_where="part_id IS NOT NULL"),
    Index(None, "dialogue_id", "page"),
    Index(None, "content_hash"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="Pieces of what messages say in no question-answer pair, which are embedded and searched",
)
