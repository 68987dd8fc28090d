"""Schema ``derived``: hashes of texts, responses and contexts, and the duplicates that are found by them."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Boolean, CheckConstraint, Column, Double, Index, Integer, SmallInteger, Table, Text

from archive_pipeline.domain.choices import DUPLICATE_METHODS, DUPLICATE_TYPES, ENTITY_TYPES, Normalization
from archive_pipeline.store.tables.base import (
    DERIVED,
    DIALOGUE,
    ROWS_OF_DIALOGUES,
    dialogue_column,
    dialogue_first,
    message_key,
    metadata,
    one_of,
    uuid_column,
)

HASH_SCOPES: Final = ["full", "user", "assistant"]
KEEP_REASONS: Final = ["active_path", "longest", "newest", "smallest_id"]
COPY_KINDS: Final = ["prefix", "content"]

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
    Column(
        "hash_simhash",
        Text,
        comment="64-bit simhash (hex), the same for all normalizations of a text: version 1 of the text as it is, "
        "version 2 of its full normalization; NULL if it has no word",
    ),
    Column("simhash_version", SmallInteger, nullable=False, comment="1: the seed's function; 2: shingled"),
    CheckConstraint(one_of("entity_type", ENTITY_TYPES), name="entity_type"),
    CheckConstraint(one_of("hash_scope", HASH_SCOPES), name="hash_scope"),
    CheckConstraint(one_of("normalization", [n.value for n in Normalization]), name="normalization"),
    # The hash of a narrower scope is that of some message's full text; indexing it again would double the load's cost.
    Index("ix_content_hashes_full_sha256", "hash_sha256", postgresql_where="hash_scope = 'full'"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="Hashes of message and exchange texts, for duplicates and change detection (seed 000)",
)

response_hashes: Final = Table(
    "response_hashes",
    metadata,
    uuid_column("response_message_id", "Assistant message"),
    dialogue_column(),
    uuid_column("parent_response_id", "Response before it on its path; NULL for the first", nullable=True),
    Column(
        "prompt_hash", Text, nullable=False, comment="Hash of the messages since that response and fixed options (hex)"
    ),
    Column("response_hash", Text, nullable=False, comment="Hash of the message's canonical form (hex)"),
    Column("path_hash", Text, nullable=False, comment="Hash of all prompts on the way, responses left out (hex)"),
    Column("context_hash", Text, nullable=False, comment="Hash of all messages on the way, itself included (hex)"),
    message_key("response_message_id"),
    dialogue_first("response_message_id"),
    Index(None, "response_message_id"),
    Index(None, DIALOGUE, "parent_response_id", "prompt_hash"),
    Index(None, "prompt_hash"),
    Index(None, "response_hash"),
    Index(None, "path_hash"),
    Index(None, "context_hash"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="One row per response: what it answers and where, by content (seed 003)",
)

message_contexts: Final = Table(
    "message_contexts",
    metadata,
    uuid_column("message_id", "The message"),
    dialogue_column(),
    uuid_column("context_parent_id", "Nearest canonical message above; NULL if there is none", nullable=True),
    Column("context_hash", Text, nullable=False, comment="Hash of all messages on the way, itself included (hex)"),
    Column("normalized_hash", Text, nullable=False, comment="The same over texts without case and spacing (hex)"),
    Column("prompt_path_hash", Text, comment="path_hash of a response to it without options; NULL for responses"),
    message_key(),
    dialogue_first("message_id"),
    Index(None, "message_id"),
    Index(None, "context_hash"),
    Index(None, "context_parent_id"),
    Index(None, "normalized_hash"),
    Index(None, "prompt_path_hash"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="One row per message with canonical content: the way to it, by content (seed 003)",
)

duplicate_clusters: Final = Table(
    "duplicate_clusters",
    metadata,
    uuid_column("cluster_id", "uuid5 of method and smallest member"),
    Column("entity_type", Text, nullable=False, comment="message, exchange or dialogue"),
    uuid_column("entity_id", "The message, exchange or dialogue", primary_key=True),
    dialogue_column(primary_key=True),
    Column(
        "method",
        Text,
        primary_key=True,
        comment=(
            "exact:<normalisation>: equal under it; near: similar enough by Jaccard on shingles of three words; "
            "runs: dialogues with at least half of the calls of tools and their results in common"
        ),
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
    Column("text_length", Integer, nullable=False, comment="Characters of the text, or of the tools' results"),
    CheckConstraint(one_of("entity_type", DUPLICATE_TYPES), name="entity_type"),
    CheckConstraint(one_of("method", DUPLICATE_METHODS), name="method"),
    CheckConstraint(one_of("keep_reason", KEEP_REASONS), name="keep_reason"),
    CheckConstraint(one_of("copy_kind", COPY_KINDS), name="copy_kind"),
    CheckConstraint("is_kept = (keep_reason IS NOT NULL)", name="kept_has_reason"),
    CheckConstraint("is_kept = (copy_kind IS NULL)", name="others_are_copies"),
    CheckConstraint("cluster_size > 1", name="cluster_size"),
    CheckConstraint("similarity > 0 AND similarity <= 1", name="similarity"),
    Index(None, "cluster_id"),
    Index(None, "dialogue_id"),
    # That only one member is kept is of all dialogues of a cluster: what makes clusters sees to it.
    Index("ix_duplicate_clusters_kept", "cluster_id", postgresql_where="is_kept"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="Messages and exchanges that say nearly the same, and runs of one task, over the whole archive (seed 000)",
)
