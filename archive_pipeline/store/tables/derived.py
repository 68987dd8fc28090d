"""Schema ``derived``: what is computed from ``raw``. Every row can be thrown away and built again.

Storage is linear in messages. Paths are stored as a nested set (``tree_left``, ``tree_right`` in ``message_paths``)
whose depth-first order visits the child with the most descendants first. Along such a run ``tree_left`` counts on, and
the way from a root to any message is made of at most log2(messages) pieces of runs. What would be quadratic
(``sequence_messages``, ``exchange_messages``, ``sequence_exchanges``, ancestor arrays) are views, in ``sql/views``,
which climb from run to run and cost what they return.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    DateTime,
    Double,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    func,
)
from sqlalchemy.dialects.postgresql import REGCONFIG, TSVECTOR

from archive_pipeline.settings import Normalization
from archive_pipeline.store.tables.base import DERIVED, dialogue_column, metadata, one_of, uuid_column

BRANCH_REASONS: Final = ["primary", "regeneration", "edit", "fork"]
PAIRING_RULES: Final = ["parent", "ancestor", "fallback"]
ENTITY_TYPES: Final = ["message", "exchange"]
HASH_SCOPES: Final = ["full", "user", "assistant"]
PAIR_TYPES: Final = ["conversation_turn", "trace_pair"]
CHUNK_SIDES: Final = ["question", "answer"]
# camelCase, snake_case, paths and dotted names are found by their parts as well; ideographs stand alone.
SEARCH_VECTOR: Final = (
    "to_tsvector('simple', text) || to_tsvector('simple', regexp_replace(regexp_replace(text, "
    "'([a-z0-9])([A-Z])|[._/:#@-]', '\\1 \\2', 'g'), '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])', ' \\1 ', 'g')) "
    "|| to_tsvector(language, text)"
)
ANSWER_RULES: Final = ["first", "final", "tool_result"]
DUPLICATE_METHODS: Final = [*(f"exact:{normalization.value}" for normalization in Normalization), "near"]
KEEP_REASONS: Final = ["active_path", "longest", "newest", "smallest_id"]
COPY_KINDS: Final = ["prefix", "content"]

dialogue_trees: Final = Table(
    "dialogue_trees",
    metadata,
    dialogue_column(primary_key=True),
    Column("total_nodes", Integer, nullable=False, comment="Live messages"),
    Column("max_depth", Integer, nullable=False, comment="Depth of the deepest message over all roots; a root has 0"),
    Column("root_count", Integer, nullable=False, comment="Messages without a parent"),
    Column("branch_count", Integer, nullable=False, comment="Messages with more than one child"),
    Column("leaf_count", Integer, nullable=False, comment="Messages without children"),
    uuid_column("primary_leaf_id", "Last message of the primary path; NULL without messages", nullable=True),
    Column("primary_path_length", Integer, comment="Messages on the primary path; NULL without messages"),
    Column("has_regenerations", Boolean, nullable=False, comment="Some assistant-side siblings share a parent"),
    Column("has_edits", Boolean, nullable=False, comment="Some user siblings share a parent"),
    Column("is_linear", Boolean, nullable=False, comment="At most one root and no branch"),
    schema=DERIVED,
    comment="One row per dialogue: the shape of its tree (seed 000)",
)

message_paths: Final = Table(
    "message_paths",
    metadata,
    uuid_column("message_id", "The message", ForeignKey("raw.messages.id", ondelete="CASCADE"), primary_key=True),
    dialogue_column(),
    Column("depth", Integer, nullable=False, comment="Messages between it and its root; a root has 0"),
    Column("is_root", Boolean, nullable=False, comment="It has no live parent"),
    Column("is_leaf", Boolean, nullable=False, comment="It has no live children"),
    Column("child_count", Integer, nullable=False, comment="Live children"),
    Column("sibling_index", Integer, nullable=False, comment="Position among its siblings in order, from 0"),
    Column("is_on_primary_path", Boolean, nullable=False, comment="On the way to the deepest, then most recent leaf"),
    Column("is_on_active_path", Boolean, nullable=False, comment="On the way to the message the source points to"),
    Column("tree_left", Integer, nullable=False, comment="Position in depth-first order of the dialogue, from 0"),
    Column("tree_right", Integer, nullable=False, comment="Largest tree_left among the message and its descendants"),
    Column("run_left", Integer, nullable=False, comment="tree_left of the first message of its run"),
    Column("run_parent_left", Integer, comment="tree_left of the parent of its run's first message; NULL if a root"),
    CheckConstraint("tree_left <= tree_right", name="tree_interval"),
    CheckConstraint("run_left <= tree_left AND run_parent_left < run_left", name="run"),
    CheckConstraint("is_leaf = (child_count = 0)", name="leaf_has_no_children"),
    CheckConstraint("is_root = (depth = 0)", name="root_has_depth_zero"),
    UniqueConstraint("dialogue_id", "tree_left"),
    schema=DERIVED,
    comment="One row per live message: its place in the tree (seed 000)",
)

linear_sequences: Final = Table(
    "linear_sequences",
    metadata,
    uuid_column("id", "uuid5 of the leaf message", primary_key=True),
    dialogue_column(),
    uuid_column("leaf_message_id", "Last message", ForeignKey("raw.messages.id", ondelete="CASCADE"), unique=True),
    Column("sequence_length", Integer, nullable=False, comment="Messages from root to leaf"),
    Column("is_primary", Boolean, nullable=False, comment="The dialogue's primary sequence"),
    Column(
        "branch_reason",
        Text,
        nullable=False,
        comment="Why it exists beside the primary one: regeneration, edit or fork; primary for the primary one",
    ),
    Column("branched_at_depth", Integer, comment="Depth of the last message shared with the primary sequence"),
    uuid_column("branched_at_message_id", "Last message shared with the primary sequence", nullable=True),
    CheckConstraint(one_of("branch_reason", BRANCH_REASONS), name="branch_reason"),
    Index(None, "dialogue_id"),
    Index("uq_linear_sequences_primary", "dialogue_id", unique=True, postgresql_where="is_primary"),
    schema=DERIVED,
    comment="One row per leaf: the path from a root to it (seed 000)",
)

prompt_responses: Final = Table(
    "prompt_responses",
    metadata,
    uuid_column("id", "uuid5 of the response message", primary_key=True),
    dialogue_column(),
    uuid_column("prompt_message_id", "User message", ForeignKey("raw.messages.id", ondelete="CASCADE")),
    uuid_column(
        "response_message_id", "Assistant message", ForeignKey("raw.messages.id", ondelete="CASCADE"), unique=True
    ),
    Column(
        "prompt_position", Integer, nullable=False, comment="Position of the prompt among the live messages, from 0"
    ),
    Column("response_position", Integer, nullable=False, comment="Position of the response, from 0"),
    Column("prompt_role", Text, nullable=False, comment="Role of the prompt: user"),
    Column("response_role", Text, nullable=False, comment="Role of the response: assistant"),
    Column("pairing_rule", Text, nullable=False, comment="How the prompt was found: parent, ancestor or fallback"),
    CheckConstraint(one_of("pairing_rule", PAIRING_RULES), name="pairing_rule"),
    Index(None, "dialogue_id"),
    Index(None, "prompt_message_id"),
    schema=DERIVED,
    comment="One row per assistant message that answers a user message (seed 001)",
)

prompt_response_content: Final = Table(
    "prompt_response_content",
    metadata,
    uuid_column(
        "prompt_response_id",
        "The pair",
        ForeignKey("derived.prompt_responses.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("prompt_text", Text, comment="Text of the prompt; NULL if it has none"),
    Column("response_text", Text, comment="Text of the response; NULL if it has none"),
    Column("prompt_word_count", Integer, comment="Words of the prompt; NULL without text"),
    Column("response_word_count", Integer, comment="Words of the response; NULL without text"),
    schema=DERIVED,
    comment="Texts of the prompt-response pairs (seed 001)",
)

exchanges: Final = Table(
    "exchanges",
    metadata,
    uuid_column("id", "uuid5 of the last message, which determines the first", primary_key=True),
    dialogue_column(),
    uuid_column("first_message_id", "First message", ForeignKey("raw.messages.id", ondelete="CASCADE")),
    uuid_column("last_message_id", "Last message", ForeignKey("raw.messages.id", ondelete="CASCADE"), unique=True),
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
    Index(None, "dialogue_id"),
    Index(None, "first_message_id"),
    Index(None, "continuation_of_id"),
    schema=DERIVED,
    comment="One row per (first, last) run of a path: what the user said until the assistant was done (seed 000)",
)

exchange_content: Final = Table(
    "exchange_content",
    metadata,
    uuid_column(
        "exchange_id", "The exchange", ForeignKey("derived.exchanges.id", ondelete="CASCADE"), primary_key=True
    ),
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
    schema=DERIVED,
    comment="Texts of the exchanges, with hashes and word counts (seed 000)",
)

content_hashes: Final = Table(
    "content_hashes",
    metadata,
    dialogue_column(primary_key=True),
    uuid_column("entity_id", "The message or exchange", primary_key=True),
    Column("entity_type", Text, nullable=False, comment="message or exchange"),
    Column("hash_scope", Text, primary_key=True, comment="Whose text: full, user or assistant"),
    Column(
        "normalization", Text, primary_key=True, comment="What was done to the text: none, lowercase, whitespace, full"
    ),
    Column("hash_sha256", Text, comment="SHA-256 of the normalised text (hex); NULL if nothing is left of it"),
    Column("hash_simhash", Text, comment="64-bit simhash (hex); NULL if the text has no word"),
    Column("simhash_version", SmallInteger, nullable=False, comment="1: the seed's function; 2: shingled"),
    CheckConstraint(one_of("entity_type", ENTITY_TYPES), name="entity_type"),
    CheckConstraint(one_of("hash_scope", HASH_SCOPES), name="hash_scope"),
    CheckConstraint(one_of("normalization", [n.value for n in Normalization]), name="normalization"),
    # The hash of a narrower scope is that of some message's full text; indexing it again would double the load's cost.
    Index("ix_content_hashes_full_sha256", "hash_sha256", postgresql_where="hash_scope = 'full'"),
    schema=DERIVED,
    comment="Hashes of message and exchange texts, for duplicates and change detection (seed 000)",
)

qa_pairs: Final = Table(
    "qa_pairs",
    metadata,
    Column("pair_id", Text, primary_key=True, comment="<dialogue>:<start>, with @<end> or :<tool call> appended"),
    dialogue_column(),
    Column("pair_type", Text, nullable=False, comment="conversation_turn or trace_pair"),
    Column("start_sequence_number", Integer, nullable=False, comment="sequence_number of the question's message"),
    Column("end_sequence_number", Integer, nullable=False, comment="sequence_number of the answer's message"),
    uuid_column("source_message_id", "Message of the question", ForeignKey("raw.messages.id", ondelete="CASCADE")),
    Column("question", Text, nullable=False, comment="User text, or the tool call as text"),
    Column("answer", Text, nullable=False, comment="Assistant text, or the tool's result"),
    Column("answer_rule", Text, nullable=False, comment="Which answer was taken: first, final or tool_result"),
    Column("is_error", Boolean, nullable=False, comment="The tool reported an error"),
    Column("content_hash", Text, nullable=False, comment="SHA-256 over question and answer (hex)"),
    CheckConstraint(one_of("pair_type", PAIR_TYPES), name="pair_type"),
    CheckConstraint(one_of("answer_rule", ANSWER_RULES), name="answer_rule"),
    Index(None, "dialogue_id"),
    Index(None, "source_message_id"),
    schema=DERIVED,
    comment="Question-answer pairs, the unit of embedding (seed 004)",
)

response_hashes: Final = Table(
    "response_hashes",
    metadata,
    uuid_column(
        "response_message_id",
        "Assistant message",
        ForeignKey("raw.messages.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    dialogue_column(),
    uuid_column("parent_response_id", "Response before it on its path; NULL for the first", nullable=True),
    Column(
        "prompt_hash", Text, nullable=False, comment="Hash of the messages since that response and fixed options (hex)"
    ),
    Column("response_hash", Text, nullable=False, comment="Hash of the message's canonical form (hex)"),
    Column("path_hash", Text, nullable=False, comment="Hash of all prompts on the way, responses left out (hex)"),
    Column("context_hash", Text, nullable=False, comment="Hash of all messages on the way, itself included (hex)"),
    Index(None, "dialogue_id", "parent_response_id", "prompt_hash"),
    Index(None, "prompt_hash"),
    Index(None, "response_hash"),
    Index(None, "path_hash"),
    Index(None, "context_hash"),
    schema=DERIVED,
    comment="One row per response: what it answers and where, by content (seed 003)",
)

message_contexts: Final = Table(
    "message_contexts",
    metadata,
    uuid_column("message_id", "The message", ForeignKey("raw.messages.id", ondelete="CASCADE"), primary_key=True),
    dialogue_column(),
    uuid_column("context_parent_id", "Nearest canonical message above; NULL if there is none", nullable=True),
    Column("context_hash", Text, nullable=False, comment="Hash of all messages on the way, itself included (hex)"),
    Column("normalized_hash", Text, nullable=False, comment="The same over texts without case and spacing (hex)"),
    Column("prompt_path_hash", Text, comment="path_hash of a response to it without options; NULL for responses"),
    Index(None, "dialogue_id"),
    Index(None, "context_hash"),
    Index(None, "context_parent_id"),
    Index(None, "normalized_hash"),
    Index(None, "prompt_path_hash"),
    schema=DERIVED,
    comment="One row per message with canonical content: the way to it, by content (seed 003)",
)

duplicate_clusters: Final = Table(
    "duplicate_clusters",
    metadata,
    uuid_column("cluster_id", "uuid5 of method and smallest member"),
    Column("entity_type", Text, nullable=False, comment="message or exchange"),
    uuid_column("entity_id", "The message or exchange", primary_key=True),
    dialogue_column(),
    Column(
        "method",
        Text,
        primary_key=True,
        comment="exact:<normalisation>: equal under it; near: similar enough by Jaccard on shingles of three words",
    ),
    Column("similarity", Double, nullable=False, comment="To the kept member; 1 for exact copies and for itself"),
    Column("is_kept", Boolean, nullable=False, comment="The one member of the cluster to keep"),
    Column(
        "keep_reason",
        Text,
        comment="What the kept member has before the next best one: active_path, longest, newest or smallest_id",
    ),
    Column(
        "copy_kind",
        Text,
        comment="prefix: came with a fork or resumed chat; content: said again; NULL for the kept member",
    ),
    Column("cluster_size", Integer, nullable=False, comment="Members of the cluster, the kept one included"),
    Column("text_length", Integer, nullable=False, comment="Characters of the text"),
    CheckConstraint(one_of("entity_type", ENTITY_TYPES), name="entity_type"),
    CheckConstraint(one_of("method", DUPLICATE_METHODS), name="method"),
    CheckConstraint(one_of("keep_reason", KEEP_REASONS), name="keep_reason"),
    CheckConstraint(one_of("copy_kind", COPY_KINDS), name="copy_kind"),
    CheckConstraint("is_kept = (keep_reason IS NOT NULL)", name="kept_has_reason"),
    CheckConstraint("is_kept = (copy_kind IS NULL)", name="others_are_copies"),
    CheckConstraint("cluster_size > 1", name="cluster_size"),
    CheckConstraint("similarity > 0 AND similarity <= 1", name="similarity"),
    Index(None, "cluster_id"),
    Index(None, "dialogue_id"),
    Index("uq_duplicate_clusters_kept", "cluster_id", unique=True, postgresql_where="is_kept"),
    schema=DERIVED,
    comment="Messages and exchanges that say the same or nearly, over the whole archive (seed 000)",
)

dialogue_pages: Final = Table(
    "dialogue_pages",
    metadata,
    dialogue_column(primary_key=True),
    Column(
        "page", Integer, primary_key=True, comment="From 1: the primary path as one reads it, then the other branches"
    ),
    uuid_column("exchange_id", "The exchange", unique=True),
    Column("is_on_primary_path", Boolean, nullable=False, comment="The exchange is on the primary path"),
    schema=DERIVED,
    comment="A dialogue as a document: each exchange is a page, by which search results are cited (seed 002)",
)


def full_text_columns() -> tuple[Column[Any], Column[Any]]:
    """Return the columns by which the texts of a table of chunks are searched."""
    return (
        Column(
            "language",
            REGCONFIG,
            nullable=False,
            comment="Text search configuration of its language; simple if there is none or the text does not tell",
        ),
        Column(
            "search_vector",
            TSVECTOR,
            Computed(SEARCH_VECTOR, persisted=True),
            comment="Words as they are, parts of identifiers, and word stems of the language",
        ),
    )


qa_chunks: Final = Table(
    "qa_chunks",
    metadata,
    uuid_column("chunk_id", "uuid5 of (pair, side, index)", primary_key=True),
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
    *full_text_columns(),
    Index("ix_qa_chunks_search_vector", "search_vector", postgresql_using="gin"),
    CheckConstraint(one_of("side", CHUNK_SIDES), name="side"),
    CheckConstraint("start_offset < end_offset", name="offsets"),
    UniqueConstraint("pair_id", "side", "chunk_index"),
    Index(None, "dialogue_id", "page"),
    Index(None, "content_hash"),
    schema=DERIVED,
    comment="Pieces of questions and answers, which are embedded and searched (seed 004)",
)

build_state: Final = Table(
    "build_state",
    metadata,
    dialogue_column(primary_key=True),
    Column("asset", Text, primary_key=True, comment="Name of the derived asset"),
    Column("fingerprint", Text, nullable=False, comment="Fingerprint of the dialogue the rows were built from"),
    Column("code_version", Text, nullable=False, comment="Version of the code and settings that built them"),
    Column("built_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When"),
    schema=DERIVED,
    comment="What each derived asset was built from: the truth about what is stale",
)

build_errors: Final = Table(
    "build_errors",
    metadata,
    dialogue_column(primary_key=True),
    Column("asset", Text, primary_key=True, comment="Name of the derived asset that cannot be built for the dialogue"),
    Column("fingerprint", Text, nullable=False, comment="Fingerprint of the dialogue it was tried with"),
    Column("code_version", Text, nullable=False, comment="Version of the code and settings that tried"),
    Column("error", Text, nullable=False, comment="Type and message on the first line, then where it came from"),
    Column("failed_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When"),
    schema=DERIVED,
    comment="Quarantine: not tried again with the same content by the same code; has no rows in the asset's tables",
)

DERIVED_TABLES: Final = (
    dialogue_trees,
    message_paths,
    linear_sequences,
    prompt_responses,
    prompt_response_content,
    exchanges,
    exchange_content,
    content_hashes,
    qa_pairs,
    dialogue_pages,
    qa_chunks,
    response_hashes,
    message_contexts,
    duplicate_clusters,
)
