"""Initial schema: all tables of raw and derived.

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None

# Copies of texts are stored without compression: PostgreSQL's own takes longer than the rest of the load.
UNCOMPRESSED = {
    "prompt_response_content": ("prompt_text", "response_text"),
    "exchange_content": ("user_text", "assistant_text", "full_text"),
    "qa_pairs": ("question", "answer"),
}


def upgrade() -> None:
    op.create_table(
        "sources",
        sa.Column("id", sa.Text(), nullable=False, comment="Name of the source, as in raw.dialogues.source"),
        sa.Column("description", sa.Text(), nullable=False, comment="What the source is"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        schema="raw",
        comment="Where dialogues come from",
    )
    op.create_table(
        "imports",
        sa.Column("id", sa.Uuid(as_uuid=False), nullable=False, comment="One import of one file"),
        sa.Column("path", sa.Text(), nullable=False, comment="Path as given, or found below the folder that was given"),
        sa.Column(
            "sha256",
            sa.Text(),
            nullable=True,
            comment="SHA-256 of the file's bytes (hex); NULL if it could not be read to its end",
        ),
        sa.Column("source", sa.Text(), nullable=True, comment="Recognised source; NULL if none was"),
        sa.Column(
            "started_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When it began",
        ),
        sa.Column(
            "finished_at",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="When it ended; NULL while it runs or if it was killed",
        ),
        sa.Column("status", sa.Text(), nullable=False, comment="running, done (read to its end) or failed"),
        sa.Column(
            "is_partial",
            sa.Boolean(),
            server_default=sa.text("false"),
            nullable=False,
            comment="Imported with --partial",
        ),
        sa.Column(
            "counts",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
            comment="Dialogues new/changed/unchanged/rejected, rows written, and every surprise by its name",
        ),
        sa.CheckConstraint("status IN ('running', 'done', 'failed')", name=op.f("ck_imports_status")),
        sa.ForeignKeyConstraint(["source"], ["raw.sources.id"], name=op.f("fk_imports_source")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imports")),
        schema="raw",
        comment="Every file that was read, and how it went",
    )
    op.create_index(op.f("ix_imports_sha256"), "imports", ["sha256"], unique=False, schema="raw")
    op.create_table(
        "dialogues",
        sa.Column("id", sa.Uuid(as_uuid=False), nullable=False, comment="uuid5 of (source, source_id)"),
        sa.Column("source", sa.Text(), nullable=False, comment="Where the dialogue comes from"),
        sa.Column(
            "source_id",
            sa.Text(),
            nullable=False,
            comment="Id in the source; made from content where the source has none",
        ),
        sa.Column("partition_key", sa.Text(), nullable=False, comment="<source>-<source_id>; never changes"),
        sa.Column(
            "shard_key", sa.Text(), nullable=False, comment="Stable hash of the id, s0000 to s1023; never changes"
        ),
        sa.Column("title", sa.Text(), nullable=True, comment="Title as the source has it"),
        sa.Column(
            "source_created_at", sa.DateTime(timezone=True), nullable=True, comment="When the source says it began"
        ),
        sa.Column(
            "source_updated_at",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="When the source says it last changed",
        ),
        sa.Column(
            "fingerprint", sa.Text(), nullable=False, comment="Hash of the content fields; equal means nothing to do"
        ),
        sa.Column("message_count", sa.Integer(), nullable=False, comment="Live messages"),
        sa.Column(
            "active_message_id",
            sa.Uuid(as_uuid=False),
            nullable=True,
            comment="Message the source's own pointer leads to, if it has one",
        ),
        sa.Column(
            "diagnostics",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
            comment="Surprises of this dialogue by name, with counts",
        ),
        sa.Column(
            "source_json",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="The dialogue as the source has it, without its messages",
        ),
        sa.Column(
            "source_bytes",
            sa.LargeBinary(),
            nullable=True,
            comment="zlib-compressed JSON of the whole dialogue before sanitising; only where sanitising changed something",
        ),
        sa.Column("first_import_id", sa.Uuid(as_uuid=False), nullable=True, comment="Import that brought it first"),
        sa.Column("last_import_id", sa.Uuid(as_uuid=False), nullable=True, comment="Import that last changed it"),
        sa.Column(
            "imported_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When it came first",
        ),
        sa.Column(
            "changed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When it last changed",
        ),
        sa.ForeignKeyConstraint(
            ["first_import_id"], ["raw.imports.id"], name=op.f("fk_dialogues_first_import_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["last_import_id"], ["raw.imports.id"], name=op.f("fk_dialogues_last_import_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["source"], ["raw.sources.id"], name=op.f("fk_dialogues_source")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dialogues")),
        sa.UniqueConstraint("partition_key", name=op.f("uq_dialogues_partition_key")),
        sa.UniqueConstraint("source", "source_id", name=op.f("uq_dialogues_source_source_id")),
        schema="raw",
        comment="One row per conversation",
    )
    op.create_index(op.f("ix_dialogues_first_import_id"), "dialogues", ["first_import_id"], unique=False, schema="raw")
    op.create_index(op.f("ix_dialogues_last_import_id"), "dialogues", ["last_import_id"], unique=False, schema="raw")
    op.create_index(op.f("ix_dialogues_shard_key"), "dialogues", ["shard_key"], unique=False, schema="raw")
    op.create_table(
        "rejected_records",
        sa.Column(
            "id",
            sa.BigInteger(),
            sa.Identity(always=False),
            nullable=False,
            comment="Order in which records were rejected",
        ),
        sa.Column("import_id", sa.Uuid(as_uuid=False), nullable=False, comment="Import that met the record"),
        sa.Column(
            "locator", sa.Text(), nullable=False, comment="Where it stands: file, member, and index or byte offset"
        ),
        sa.Column("reason", sa.Text(), nullable=False, comment="What is wrong, in words"),
        sa.Column("error", sa.Text(), nullable=False, comment="The technical error"),
        sa.Column("excerpt", sa.Text(), nullable=True, comment="Beginning of the record, to find it by"),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When it was rejected",
        ),
        sa.ForeignKeyConstraint(
            ["import_id"], ["raw.imports.id"], name=op.f("fk_rejected_records_import_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rejected_records")),
        schema="raw",
        comment="What could not be loaded, with enough to find it in its file; nothing is dropped silently",
    )
    op.create_index(
        op.f("ix_rejected_records_import_id"), "rejected_records", ["import_id"], unique=False, schema="raw"
    )
    op.create_table(
        "build_state",
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("asset", sa.Text(), nullable=False, comment="Name of the derived asset"),
        sa.Column(
            "fingerprint", sa.Text(), nullable=False, comment="Fingerprint of the dialogue the rows were built from"
        ),
        sa.Column(
            "code_version", sa.Text(), nullable=False, comment="Version of the code and settings that built them"
        ),
        sa.Column(
            "built_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False, comment="When"
        ),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_build_state_dialogue_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dialogue_id", "asset", name=op.f("pk_build_state")),
        schema="derived",
        comment="What each derived asset was built from: the truth about what is stale",
    )
    op.create_table(
        "content_hashes",
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("entity_id", sa.Uuid(as_uuid=False), nullable=False, comment="The message or exchange"),
        sa.Column("entity_type", sa.Text(), nullable=False, comment="message or exchange"),
        sa.Column("hash_scope", sa.Text(), nullable=False, comment="Whose text: full, user or assistant"),
        sa.Column(
            "normalization",
            sa.Text(),
            nullable=False,
            comment="What was done to the text: none, lowercase, whitespace, full",
        ),
        sa.Column(
            "hash_sha256",
            sa.Text(),
            nullable=True,
            comment="SHA-256 of the normalised text (hex); NULL if nothing is left of it",
        ),
        sa.Column(
            "hash_simhash", sa.Text(), nullable=True, comment="64-bit simhash (hex); NULL if the text has no word"
        ),
        sa.Column("simhash_version", sa.SmallInteger(), nullable=False, comment="1: the seed's function; 2: shingled"),
        sa.CheckConstraint("entity_type IN ('message', 'exchange')", name=op.f("ck_content_hashes_entity_type")),
        sa.CheckConstraint("hash_scope IN ('full', 'user', 'assistant')", name=op.f("ck_content_hashes_hash_scope")),
        sa.CheckConstraint(
            "normalization IN ('none', 'lowercase', 'whitespace', 'full')", name=op.f("ck_content_hashes_normalization")
        ),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_content_hashes_dialogue_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(
            "dialogue_id", "entity_id", "hash_scope", "normalization", name=op.f("pk_content_hashes")
        ),
        schema="derived",
        comment="Hashes of message and exchange texts, for duplicates and change detection (seed 000)",
    )
    op.create_index(
        "ix_content_hashes_full_sha256",
        "content_hashes",
        ["hash_sha256"],
        unique=False,
        schema="derived",
        postgresql_where="hash_scope = 'full'",
    )
    op.create_table(
        "dialogue_trees",
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("total_nodes", sa.Integer(), nullable=False, comment="Live messages"),
        sa.Column(
            "max_depth",
            sa.Integer(),
            nullable=False,
            comment="Depth of the deepest message over all roots; a root has 0",
        ),
        sa.Column("root_count", sa.Integer(), nullable=False, comment="Messages without a parent"),
        sa.Column("branch_count", sa.Integer(), nullable=False, comment="Messages with more than one child"),
        sa.Column("leaf_count", sa.Integer(), nullable=False, comment="Messages without children"),
        sa.Column(
            "primary_leaf_id",
            sa.Uuid(as_uuid=False),
            nullable=True,
            comment="Last message of the primary path; NULL without messages",
        ),
        sa.Column(
            "primary_path_length",
            sa.Integer(),
            nullable=True,
            comment="Messages on the primary path; NULL without messages",
        ),
        sa.Column(
            "has_regenerations", sa.Boolean(), nullable=False, comment="Some assistant-side siblings share a parent"
        ),
        sa.Column("has_edits", sa.Boolean(), nullable=False, comment="Some user siblings share a parent"),
        sa.Column("is_linear", sa.Boolean(), nullable=False, comment="At most one root and no branch"),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_dialogue_trees_dialogue_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dialogue_id", name=op.f("pk_dialogue_trees")),
        schema="derived",
        comment="One row per dialogue: the shape of its tree (seed 000)",
    )
    op.create_table(
        "messages",
        sa.Column("id", sa.Uuid(as_uuid=False), nullable=False, comment="uuid5 of (dialogue, source message id)"),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column(
            "source_id",
            sa.Text(),
            nullable=False,
            comment="Id in the source; made from content where the source has none",
        ),
        sa.Column(
            "parent_id",
            sa.Uuid(as_uuid=False),
            nullable=True,
            comment="Parent message, after message-less nodes were skipped; NULL for a root",
        ),
        sa.Column("source_parent_id", sa.Text(), nullable=True, comment="Parent pointer as the source has it"),
        sa.Column(
            "parent_flag",
            sa.Text(),
            nullable=True,
            comment="Why the parent is not the source's: missing_parent or cycle; NULL if it is",
        ),
        sa.Column("role", sa.Text(), nullable=False, comment="user, assistant, system or tool"),
        sa.Column(
            "sequence_number", sa.Integer(), nullable=False, comment="Given at first import, from 0, never renumbered"
        ),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), nullable=True, comment="When the source says it was written"
        ),
        sa.Column(
            "updated_at", sa.DateTime(timezone=True), nullable=True, comment="When the source says it last changed"
        ),
        sa.Column("model", sa.Text(), nullable=True, comment="Model that wrote it"),
        sa.Column("author_name", sa.Text(), nullable=True, comment="Name of the author, such as the tool's"),
        sa.Column("recipient", sa.Text(), nullable=True, comment="Whom it is addressed to, such as a tool's name"),
        sa.Column("channel", sa.Text(), nullable=True, comment="Channel: final, commentary, analysis"),
        sa.Column("state", sa.Text(), nullable=False, comment="complete, in_progress, aborted or error"),
        sa.Column("is_hidden", sa.Boolean(), nullable=False, comment="The source does not show it to the user"),
        sa.Column("content_hash", sa.Text(), nullable=False, comment="Hash of the message's content fields"),
        sa.Column(
            "deleted_at",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="When a full export no longer had it; NULL while it is live",
        ),
        sa.Column(
            "source_json",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="The message as the source has it, without its parts and attachments",
        ),
        sa.CheckConstraint("parent_flag IN ('missing_parent', 'cycle')", name=op.f("ck_messages_parent_flag")),
        sa.CheckConstraint("role IN ('user', 'assistant', 'system', 'tool')", name=op.f("ck_messages_role")),
        sa.CheckConstraint("state IN ('complete', 'in_progress', 'aborted', 'error')", name=op.f("ck_messages_state")),
        sa.CheckConstraint("parent_id <> id", name=op.f("ck_messages_parent_is_another")),
        sa.CheckConstraint("sequence_number >= 0", name=op.f("ck_messages_sequence_number")),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_messages_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"],
            ["raw.messages.id"],
            name=op.f("fk_messages_parent_id"),
            ondelete="CASCADE",
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_messages")),
        sa.UniqueConstraint("dialogue_id", "sequence_number", name=op.f("uq_messages_dialogue_id_sequence_number")),
        schema="raw",
        comment="One row per message, soft-deleted when a later full export no longer has it",
    )
    op.create_index(op.f("ix_messages_parent_id"), "messages", ["parent_id"], unique=False, schema="raw")
    op.create_table(
        "exchanges",
        sa.Column(
            "id",
            sa.Uuid(as_uuid=False),
            nullable=False,
            comment="uuid5 of the last message, which determines the first",
        ),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("first_message_id", sa.Uuid(as_uuid=False), nullable=False, comment="First message"),
        sa.Column("last_message_id", sa.Uuid(as_uuid=False), nullable=False, comment="Last message"),
        sa.Column("message_count", sa.Integer(), nullable=False, comment="Messages of every role"),
        sa.Column("user_message_count", sa.Integer(), nullable=False, comment="User messages"),
        sa.Column("assistant_message_count", sa.Integer(), nullable=False, comment="Assistant messages"),
        sa.Column("is_continuation", sa.Boolean(), nullable=False, comment="The user only asks to go on"),
        sa.Column(
            "continuation_of_id",
            sa.Uuid(as_uuid=False),
            nullable=True,
            comment="Exchange before it on the path, if it is a continuation",
        ),
        sa.Column(
            "continuation_pattern",
            sa.Text(),
            nullable=True,
            comment="Which pattern the user's text matched; NULL if none",
        ),
        sa.Column(
            "previous_exchange_id",
            sa.Uuid(as_uuid=False),
            nullable=True,
            comment="Exchange before it on its path; NULL for the first",
        ),
        sa.Column("path_position", sa.Integer(), nullable=False, comment="Exchanges before it on its path"),
        sa.Column(
            "merged_count",
            sa.Integer(),
            nullable=False,
            comment="Continuations that lead back to this original; else 0",
        ),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True, comment="Earliest time of its messages"),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True, comment="Latest time of its messages"),
        sa.CheckConstraint(
            "is_continuation = (continuation_pattern IS NOT NULL)", name=op.f("ck_exchanges_continuation_pattern")
        ),
        sa.CheckConstraint(
            "is_continuation OR continuation_of_id IS NULL", name=op.f("ck_exchanges_continuation_link")
        ),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_exchanges_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["first_message_id"], ["raw.messages.id"], name=op.f("fk_exchanges_first_message_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["last_message_id"], ["raw.messages.id"], name=op.f("fk_exchanges_last_message_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exchanges")),
        sa.UniqueConstraint("last_message_id", name=op.f("uq_exchanges_last_message_id")),
        schema="derived",
        comment="One row per (first, last) run of a path: what the user said until the assistant was done (seed 000)",
    )
    op.create_index(
        op.f("ix_exchanges_continuation_of_id"), "exchanges", ["continuation_of_id"], unique=False, schema="derived"
    )
    op.create_index(op.f("ix_exchanges_dialogue_id"), "exchanges", ["dialogue_id"], unique=False, schema="derived")
    op.create_index(
        op.f("ix_exchanges_first_message_id"), "exchanges", ["first_message_id"], unique=False, schema="derived"
    )
    op.create_table(
        "linear_sequences",
        sa.Column("id", sa.Uuid(as_uuid=False), nullable=False, comment="uuid5 of the leaf message"),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("leaf_message_id", sa.Uuid(as_uuid=False), nullable=False, comment="Last message"),
        sa.Column("sequence_length", sa.Integer(), nullable=False, comment="Messages from root to leaf"),
        sa.Column("is_primary", sa.Boolean(), nullable=False, comment="The dialogue's primary sequence"),
        sa.Column(
            "branch_reason",
            sa.Text(),
            nullable=False,
            comment="Why it exists beside the primary one: regeneration, edit or fork; primary for the primary one",
        ),
        sa.Column(
            "branched_at_depth",
            sa.Integer(),
            nullable=True,
            comment="Depth of the last message shared with the primary sequence",
        ),
        sa.Column(
            "branched_at_message_id",
            sa.Uuid(as_uuid=False),
            nullable=True,
            comment="Last message shared with the primary sequence",
        ),
        sa.CheckConstraint(
            "branch_reason IN ('primary', 'regeneration', 'edit', 'fork')",
            name=op.f("ck_linear_sequences_branch_reason"),
        ),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_linear_sequences_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["leaf_message_id"],
            ["raw.messages.id"],
            name=op.f("fk_linear_sequences_leaf_message_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_linear_sequences")),
        sa.UniqueConstraint("leaf_message_id", name=op.f("uq_linear_sequences_leaf_message_id")),
        schema="derived",
        comment="One row per leaf: the path from a root to it (seed 000)",
    )
    op.create_index(
        op.f("ix_linear_sequences_dialogue_id"), "linear_sequences", ["dialogue_id"], unique=False, schema="derived"
    )
    op.create_index(
        "uq_linear_sequences_primary",
        "linear_sequences",
        ["dialogue_id"],
        unique=True,
        schema="derived",
        postgresql_where="is_primary",
    )
    op.create_table(
        "message_paths",
        sa.Column("message_id", sa.Uuid(as_uuid=False), nullable=False, comment="The message"),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("depth", sa.Integer(), nullable=False, comment="Messages between it and its root; a root has 0"),
        sa.Column("is_root", sa.Boolean(), nullable=False, comment="It has no live parent"),
        sa.Column("is_leaf", sa.Boolean(), nullable=False, comment="It has no live children"),
        sa.Column("child_count", sa.Integer(), nullable=False, comment="Live children"),
        sa.Column(
            "sibling_index", sa.Integer(), nullable=False, comment="Position among its siblings in order, from 0"
        ),
        sa.Column(
            "is_on_primary_path",
            sa.Boolean(),
            nullable=False,
            comment="On the way to the deepest, then most recent leaf",
        ),
        sa.Column(
            "is_on_active_path", sa.Boolean(), nullable=False, comment="On the way to the message the source points to"
        ),
        sa.Column(
            "tree_left", sa.Integer(), nullable=False, comment="Position in depth-first order of the dialogue, from 0"
        ),
        sa.Column(
            "tree_right",
            sa.Integer(),
            nullable=False,
            comment="Largest tree_left among the message and its descendants",
        ),
        sa.Column("run_left", sa.Integer(), nullable=False, comment="tree_left of the first message of its run"),
        sa.Column(
            "run_parent_left",
            sa.Integer(),
            nullable=True,
            comment="tree_left of the parent of its run's first message; NULL if a root",
        ),
        sa.CheckConstraint("is_leaf = (child_count = 0)", name=op.f("ck_message_paths_leaf_has_no_children")),
        sa.CheckConstraint("is_root = (depth = 0)", name=op.f("ck_message_paths_root_has_depth_zero")),
        sa.CheckConstraint("run_left <= tree_left AND run_parent_left < run_left", name=op.f("ck_message_paths_run")),
        sa.CheckConstraint("tree_left <= tree_right", name=op.f("ck_message_paths_tree_interval")),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_message_paths_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["raw.messages.id"], name=op.f("fk_message_paths_message_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_message_paths")),
        sa.UniqueConstraint("dialogue_id", "tree_left", name=op.f("uq_message_paths_dialogue_id_tree_left")),
        schema="derived",
        comment="One row per live message: its place in the tree (seed 000)",
    )
    op.create_table(
        "prompt_responses",
        sa.Column("id", sa.Uuid(as_uuid=False), nullable=False, comment="uuid5 of the response message"),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("prompt_message_id", sa.Uuid(as_uuid=False), nullable=False, comment="User message"),
        sa.Column("response_message_id", sa.Uuid(as_uuid=False), nullable=False, comment="Assistant message"),
        sa.Column(
            "prompt_position",
            sa.Integer(),
            nullable=False,
            comment="Position of the prompt among the live messages, from 0",
        ),
        sa.Column("response_position", sa.Integer(), nullable=False, comment="Position of the response, from 0"),
        sa.Column("prompt_role", sa.Text(), nullable=False, comment="Role of the prompt: user"),
        sa.Column("response_role", sa.Text(), nullable=False, comment="Role of the response: assistant"),
        sa.Column(
            "pairing_rule", sa.Text(), nullable=False, comment="How the prompt was found: parent, ancestor or fallback"
        ),
        sa.CheckConstraint(
            "pairing_rule IN ('parent', 'ancestor', 'fallback')", name=op.f("ck_prompt_responses_pairing_rule")
        ),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_prompt_responses_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["prompt_message_id"],
            ["raw.messages.id"],
            name=op.f("fk_prompt_responses_prompt_message_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["response_message_id"],
            ["raw.messages.id"],
            name=op.f("fk_prompt_responses_response_message_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_prompt_responses")),
        sa.UniqueConstraint("response_message_id", name=op.f("uq_prompt_responses_response_message_id")),
        schema="derived",
        comment="One row per assistant message that answers a user message (seed 001)",
    )
    op.create_index(
        op.f("ix_prompt_responses_dialogue_id"), "prompt_responses", ["dialogue_id"], unique=False, schema="derived"
    )
    op.create_index(
        op.f("ix_prompt_responses_prompt_message_id"),
        "prompt_responses",
        ["prompt_message_id"],
        unique=False,
        schema="derived",
    )
    op.create_table(
        "qa_pairs",
        sa.Column(
            "pair_id", sa.Text(), nullable=False, comment="<dialogue>:<start>, with @<end> or :<tool call> appended"
        ),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("pair_type", sa.Text(), nullable=False, comment="conversation_turn or trace_pair"),
        sa.Column(
            "start_sequence_number", sa.Integer(), nullable=False, comment="sequence_number of the question's message"
        ),
        sa.Column(
            "end_sequence_number", sa.Integer(), nullable=False, comment="sequence_number of the answer's message"
        ),
        sa.Column("source_message_id", sa.Uuid(as_uuid=False), nullable=False, comment="Message of the question"),
        sa.Column("question", sa.Text(), nullable=False, comment="User text, or the tool call as text"),
        sa.Column("answer", sa.Text(), nullable=False, comment="Assistant text, or the tool's result"),
        sa.Column(
            "answer_rule", sa.Text(), nullable=False, comment="Which answer was taken: first, final or tool_result"
        ),
        sa.Column("is_error", sa.Boolean(), nullable=False, comment="The tool reported an error"),
        sa.Column("content_hash", sa.Text(), nullable=False, comment="SHA-256 over question and answer (hex)"),
        sa.CheckConstraint("answer_rule IN ('first', 'final', 'tool_result')", name=op.f("ck_qa_pairs_answer_rule")),
        sa.CheckConstraint("pair_type IN ('conversation_turn', 'trace_pair')", name=op.f("ck_qa_pairs_pair_type")),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_qa_pairs_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["source_message_id"], ["raw.messages.id"], name=op.f("fk_qa_pairs_source_message_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("pair_id", name=op.f("pk_qa_pairs")),
        schema="derived",
        comment="Question-answer pairs, the unit of embedding (seed 004)",
    )
    op.create_index(op.f("ix_qa_pairs_dialogue_id"), "qa_pairs", ["dialogue_id"], unique=False, schema="derived")
    op.create_index(
        op.f("ix_qa_pairs_source_message_id"), "qa_pairs", ["source_message_id"], unique=False, schema="derived"
    )
    op.create_table(
        "attachments",
        sa.Column("id", sa.Uuid(as_uuid=False), nullable=False, comment="uuid5 of (message, sequence)"),
        sa.Column("message_id", sa.Uuid(as_uuid=False), nullable=False, comment="Message it came with"),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("sequence", sa.Integer(), nullable=False, comment="Position among the message's attachments, from 0"),
        sa.Column("source_id", sa.Text(), nullable=True, comment="Id in the source"),
        sa.Column("file_name", sa.Text(), nullable=True, comment="File name; NULL for pasted text"),
        sa.Column("mime_type", sa.Text(), nullable=True, comment="Media type"),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True, comment="Size in bytes, as the source says"),
        sa.Column("uri", sa.Text(), nullable=True, comment="Pointer to the file in the source or the export"),
        sa.Column("extracted_text", sa.Text(), nullable=True, comment="Text that the source extracted from it"),
        sa.Column(
            "source_json",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="The attachment as the source has it",
        ),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_attachments_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["raw.messages.id"], name=op.f("fk_attachments_message_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attachments")),
        sa.UniqueConstraint("message_id", "sequence", name=op.f("uq_attachments_message_id_sequence")),
        schema="raw",
        comment="Files that came with messages",
    )
    op.create_index(op.f("ix_attachments_dialogue_id"), "attachments", ["dialogue_id"], unique=False, schema="raw")
    op.create_table(
        "content_parts",
        sa.Column("id", sa.Uuid(as_uuid=False), nullable=False, comment="uuid5 of (message, sequence)"),
        sa.Column("message_id", sa.Uuid(as_uuid=False), nullable=False, comment="Message it is part of"),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("sequence", sa.Integer(), nullable=False, comment="Position in the message, from 0"),
        sa.Column(
            "part_type", sa.Text(), nullable=False, comment="What the part is; unknown ones are kept in source_json"
        ),
        sa.Column("source_type", sa.Text(), nullable=True, comment="The source's name for it"),
        sa.Column("text_content", sa.Text(), nullable=True, comment="Text of the part"),
        sa.Column("tool_name", sa.Text(), nullable=True, comment="Tool that is called or answers"),
        sa.Column("tool_use_id", sa.Text(), nullable=True, comment="Id that pairs a call with its result"),
        sa.Column(
            "tool_input", sa.JSON(), nullable=True, comment="Arguments of the call, in the source's own order of keys"
        ),
        sa.Column("is_error", sa.Boolean(), nullable=True, comment="The tool reported an error"),
        sa.Column("language", sa.Text(), nullable=True, comment="Programming language of code"),
        sa.Column("mime_type", sa.Text(), nullable=True, comment="Media type"),
        sa.Column("uri", sa.Text(), nullable=True, comment="Pointer to an asset or page"),
        sa.Column(
            "source_json",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="The part as the source has it, where the columns do not say everything",
        ),
        sa.CheckConstraint(
            "part_type IN ('text', 'code', 'thinking', 'tool_use', 'tool_result', 'image', 'audio', 'video', 'file', 'context', 'error', 'unknown')",
            name=op.f("ck_content_parts_part_type"),
        ),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_content_parts_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["raw.messages.id"], name=op.f("fk_content_parts_message_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_content_parts")),
        sa.UniqueConstraint("message_id", "sequence", name=op.f("uq_content_parts_message_id_sequence")),
        schema="raw",
        comment="Parts of a message's content, in order",
    )
    op.create_index(op.f("ix_content_parts_dialogue_id"), "content_parts", ["dialogue_id"], unique=False, schema="raw")
    op.create_table(
        "exchange_content",
        sa.Column("exchange_id", sa.Uuid(as_uuid=False), nullable=False, comment="The exchange"),
        sa.Column(
            "user_text",
            sa.Text(),
            nullable=True,
            comment="Texts of its user messages, joined by a blank line; NULL if empty",
        ),
        sa.Column("assistant_text", sa.Text(), nullable=True, comment="Texts of its assistant messages; NULL if empty"),
        sa.Column(
            "full_text",
            sa.Text(),
            sa.Computed(
                "CASE WHEN user_text IS NULL THEN assistant_text WHEN assistant_text IS NULL THEN user_text ELSE user_text || E'\\n\\n' || assistant_text END",
                persisted=True,
            ),
            nullable=True,
            comment="User text and assistant text, joined by a blank line; NULL if empty",
        ),
        sa.Column("user_text_hash", sa.Text(), nullable=True, comment="SHA-256 of user_text (hex)"),
        sa.Column("assistant_text_hash", sa.Text(), nullable=True, comment="SHA-256 of assistant_text (hex)"),
        sa.Column("full_text_hash", sa.Text(), nullable=True, comment="SHA-256 of full_text (hex)"),
        sa.Column("user_word_count", sa.Integer(), nullable=True, comment="Words of user_text; NULL without text"),
        sa.Column(
            "assistant_word_count", sa.Integer(), nullable=True, comment="Words of assistant_text; NULL without text"
        ),
        sa.Column("total_word_count", sa.Integer(), nullable=True, comment="Words of full_text; NULL without text"),
        sa.ForeignKeyConstraint(
            ["exchange_id"], ["derived.exchanges.id"], name=op.f("fk_exchange_content_exchange_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("exchange_id", name=op.f("pk_exchange_content")),
        schema="derived",
        comment="Texts of the exchanges, with hashes and word counts (seed 000)",
    )
    op.create_table(
        "prompt_response_content",
        sa.Column("prompt_response_id", sa.Uuid(as_uuid=False), nullable=False, comment="The pair"),
        sa.Column("prompt_text", sa.Text(), nullable=True, comment="Text of the prompt; NULL if it has none"),
        sa.Column("response_text", sa.Text(), nullable=True, comment="Text of the response; NULL if it has none"),
        sa.Column("prompt_word_count", sa.Integer(), nullable=True, comment="Words of the prompt; NULL without text"),
        sa.Column(
            "response_word_count", sa.Integer(), nullable=True, comment="Words of the response; NULL without text"
        ),
        sa.ForeignKeyConstraint(
            ["prompt_response_id"],
            ["derived.prompt_responses.id"],
            name=op.f("fk_prompt_response_content_prompt_response_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("prompt_response_id", name=op.f("pk_prompt_response_content")),
        schema="derived",
        comment="Texts of the prompt-response pairs (seed 001)",
    )
    for table, columns in UNCOMPRESSED.items():
        for column in columns:
            op.execute(f"ALTER TABLE derived.{table} ALTER COLUMN {column} SET STORAGE EXTERNAL")


def downgrade() -> None:
    op.drop_table("prompt_response_content", schema="derived")
    op.drop_table("exchange_content", schema="derived")
    op.drop_index(op.f("ix_content_parts_dialogue_id"), table_name="content_parts", schema="raw")
    op.drop_table("content_parts", schema="raw")
    op.drop_index(op.f("ix_attachments_dialogue_id"), table_name="attachments", schema="raw")
    op.drop_table("attachments", schema="raw")
    op.drop_index(op.f("ix_qa_pairs_source_message_id"), table_name="qa_pairs", schema="derived")
    op.drop_index(op.f("ix_qa_pairs_dialogue_id"), table_name="qa_pairs", schema="derived")
    op.drop_table("qa_pairs", schema="derived")
    op.drop_index(op.f("ix_prompt_responses_prompt_message_id"), table_name="prompt_responses", schema="derived")
    op.drop_index(op.f("ix_prompt_responses_dialogue_id"), table_name="prompt_responses", schema="derived")
    op.drop_table("prompt_responses", schema="derived")
    op.drop_table("message_paths", schema="derived")
    op.drop_index(
        "uq_linear_sequences_primary", table_name="linear_sequences", schema="derived", postgresql_where="is_primary"
    )
    op.drop_index(op.f("ix_linear_sequences_dialogue_id"), table_name="linear_sequences", schema="derived")
    op.drop_table("linear_sequences", schema="derived")
    op.drop_index(op.f("ix_exchanges_first_message_id"), table_name="exchanges", schema="derived")
    op.drop_index(op.f("ix_exchanges_dialogue_id"), table_name="exchanges", schema="derived")
    op.drop_index(op.f("ix_exchanges_continuation_of_id"), table_name="exchanges", schema="derived")
    op.drop_table("exchanges", schema="derived")
    op.drop_index(op.f("ix_messages_parent_id"), table_name="messages", schema="raw")
    op.drop_table("messages", schema="raw")
    op.drop_table("dialogue_trees", schema="derived")
    op.drop_index(
        "ix_content_hashes_full_sha256",
        table_name="content_hashes",
        schema="derived",
        postgresql_where="hash_scope = 'full'",
    )
    op.drop_table("content_hashes", schema="derived")
    op.drop_table("build_state", schema="derived")
    op.drop_index(op.f("ix_rejected_records_import_id"), table_name="rejected_records", schema="raw")
    op.drop_table("rejected_records", schema="raw")
    op.drop_index(op.f("ix_dialogues_shard_key"), table_name="dialogues", schema="raw")
    op.drop_index(op.f("ix_dialogues_last_import_id"), table_name="dialogues", schema="raw")
    op.drop_index(op.f("ix_dialogues_first_import_id"), table_name="dialogues", schema="raw")
    op.drop_table("dialogues", schema="raw")
    op.drop_index(op.f("ix_imports_sha256"), table_name="imports", schema="raw")
    op.drop_table("imports", schema="raw")
    op.drop_table("sources", schema="raw")
