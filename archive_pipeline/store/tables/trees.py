"""Schema ``derived``: trees, the place of messages in them, the ways through them, and pages."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Boolean, CheckConstraint, Column, Index, Integer, Table, Text, UniqueConstraint

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

BRANCH_REASONS: Final = ["primary", "regeneration", "edit", "fork"]

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
    Column(
        "has_regenerations",
        Boolean,
        nullable=False,
        comment="Some message has several children, all of the assistant's side; a mix of sides counts for neither",
    ),
    Column(
        "has_edits",
        Boolean,
        nullable=False,
        comment="Some message has several children, all of the user's side; a mix of sides counts for neither",
    ),
    Column("is_linear", Boolean, nullable=False, comment="At most one root and no branch"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="One row per dialogue: the shape of its tree (seed 000)",
)

message_paths: Final = Table(
    "message_paths",
    metadata,
    uuid_column("message_id", "The message"),
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
    message_key(),
    dialogue_first("message_id"),
    UniqueConstraint(DIALOGUE, "tree_left"),
    Index(None, "message_id"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="One row per live message: its place in the tree (seed 000)",
)

linear_sequences: Final = Table(
    "linear_sequences",
    metadata,
    uuid_column("id", "uuid5 of the leaf message"),
    dialogue_column(),
    uuid_column("leaf_message_id", "Last message"),
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
    message_key("leaf_message_id"),
    dialogue_first("id"),
    Index(None, "id"),
    Index(None, "leaf_message_id"),
    Index("uq_linear_sequences_primary", DIALOGUE, unique=True, postgresql_where="is_primary"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="One row per leaf: the path from a root to it (seed 000)",
)

dialogue_pages: Final = Table(
    "dialogue_pages",
    metadata,
    dialogue_column(primary_key=True),
    Column(
        "page", Integer, primary_key=True, comment="From 1: the primary path as one reads it, then the other branches"
    ),
    uuid_column("exchange_id", "The exchange"),
    Column("is_on_primary_path", Boolean, nullable=False, comment="The exchange is on the primary path"),
    UniqueConstraint(DIALOGUE, "exchange_id"),
    Index(None, "exchange_id"),
    schema=DERIVED,
    info=ROWS_OF_DIALOGUES,
    comment="A dialogue as a document: each exchange is a page, by which search results are cited (seed 002)",
)
