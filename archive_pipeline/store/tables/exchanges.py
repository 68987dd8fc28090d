"""Schema ``derived``: prompts with their responses, and exchanges, each with their texts."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    DateTime,
    Index,
    Integer,
    Table,
    Text,
)

from archive_pipeline.store.tables.base import (
    DERIVED,
    LONG_ROWS_OF_DIALOGUES,
    ROWS_OF_DIALOGUES,
    dialogue_column,
    dialogue_first,
    message_key,
    metadata,
    one_of,
    parents_dialogue_column,
    same_dialogue_key,
    uuid_column,
)

PAIRING_RULES: Final = ["parent", "ancestor", "fallback"]

prompt_responses: Final = Table(
    "prompt_responses",
    metadata,
    uuid_column("id", "uuid5 of the response message"),
    dialogue_column(),
    uuid_column("prompt_message_id", "User message"),
    uuid_column("response_message_id", "Assistant message"),
    Column(
        "prompt_position", Integer, nullable=False, comment="Position of the prompt among the live messages, from 0"
    ),
    Column("response_position", Integer, nullable=False, comment="Position of the response, from 0"),
    Column("prompt_role", Text, nullable=False, comment="Role of the prompt: user"),
    Column("response_role", Text, nullable=False, comment="Role of the response: assistant"),
    Column("pairing_rule", Text, nullable=False, comment="How the prompt was found: parent, ancestor or fallback"),
    CheckConstraint(one_of("pairing_rule", PAIRING_RULES), name="pairing_rule"),
    message_key("prompt_message_id"),
    message_key("response_message_id"),
    dialogue_first("id"),
    Index(None, "id"),
    Index(None, "response_message_id"),
    Index(None, "prompt_message_id"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="One row per assistant message that answers a user message (seed 001)",
)

prompt_response_content: Final = Table(
    "prompt_response_content",
    metadata,
    uuid_column("prompt_response_id", "The pair"),
    parents_dialogue_column(),
    Column("prompt_text", Text, comment="Text of the prompt; NULL if it has none"),
    Column("response_text", Text, comment="Text of the response; NULL if it has none"),
    Column("prompt_word_count", Integer, comment="Words of the prompt; NULL without text"),
    Column("response_word_count", Integer, comment="Words of the response; NULL without text"),
    same_dialogue_key("prompt_response_id", "derived.prompt_responses.id"),
    dialogue_first("prompt_response_id"),
    Index(None, "prompt_response_id"),
    schema=DERIVED,
    info=LONG_ROWS_OF_DIALOGUES,
    comment="Texts of the prompt-response pairs (seed 001)",
)

exchanges: Final = Table(
    "exchanges",
    metadata,
    uuid_column("id", "uuid5 of the last message, which determines the first"),
    dialogue_column(),
    uuid_column("first_message_id", "First message"),
    uuid_column("last_message_id", "Last message"),
    Column("message_count", Integer, nullable=False, comment="Messages of every role"),
    Column("user_message_count", Integer, nullable=False, comment="User messages"),
    Column("assistant_message_count", Integer, nullable=False, comment="Assistant messages"),
    Column("is_continuation", Boolean, nullable=False, comment="The user only asks to go on"),
    uuid_column("continuation_of_id", "Exchange before it on the path, if it is a continuation", nullable=True),
    Column("continuation_pattern", Text, comment="Which pattern the user's text matched; NULL if none"),
    uuid_column("previous_exchange_id", "Exchange before it on its path; NULL for the first", nullable=True),
    Column("path_position", Integer, nullable=False, comment="Exchanges before it on its path"),
    Column("merged_count", Integer, nullable=False, comment="Continuations that lead back to this original; else 0"),
    Column("started_at", DateTime(timezone=True), comment="Earliest time of its messages"),
    Column("ended_at", DateTime(timezone=True), comment="Latest time of its messages"),
    CheckConstraint("is_continuation OR continuation_of_id IS NULL", name="continuation_link"),
    CheckConstraint("is_continuation = (continuation_pattern IS NOT NULL)", name="continuation_pattern"),
    message_key("first_message_id"),
    message_key("last_message_id"),
    dialogue_first("id"),
    Index(None, "id"),
    Index(None, "first_message_id"),
    Index(None, "last_message_id"),
    Index(None, "continuation_of_id"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="One row per (first, last) run of a path: what the user said until the assistant was done (seed 000)",
)

exchange_content: Final = Table(
    "exchange_content",
    metadata,
    uuid_column("exchange_id", "The exchange"),
    parents_dialogue_column(),
    Column("user_text", Text, comment="Texts of its user messages, joined by a blank line; NULL if empty"),
    Column("assistant_text", Text, comment="Texts of its assistant messages; NULL if empty"),
    Column(
        "full_text",
        Text,
        Computed(
            "CASE WHEN user_text IS NULL THEN assistant_text WHEN assistant_text IS NULL THEN user_text "
            "ELSE user_text || E'\\n\\n' || assistant_text END",
            persisted=True,
        ),
        comment="User text and assistant text, joined by a blank line; NULL if empty",
    ),
    Column("user_text_hash", Text, comment="SHA-256 of user_text (hex)"),
    Column("assistant_text_hash", Text, comment="SHA-256 of assistant_text (hex)"),
    Column("full_text_hash", Text, comment="SHA-256 of full_text (hex)"),
    Column("user_word_count", Integer, comment="Words of user_text; NULL without text"),
    Column("assistant_word_count", Integer, comment="Words of assistant_text; NULL without text"),
    Column("total_word_count", Integer, comment="Words of full_text; NULL without text"),
    same_dialogue_key("exchange_id", "derived.exchanges.id"),
    dialogue_first("exchange_id"),
    Index(None, "exchange_id"),
    schema=DERIVED,
    info=LONG_ROWS_OF_DIALOGUES,
    comment="Texts of the exchanges, with hashes and word counts (seed 000)",
)
