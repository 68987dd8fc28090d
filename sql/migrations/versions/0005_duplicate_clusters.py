"""Duplicates over the whole archive.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "duplicate_clusters",
        sa.Column("cluster_id", sa.Uuid(as_uuid=False), nullable=False, comment="uuid5 of method and smallest member"),
        sa.Column("entity_type", sa.Text(), nullable=False, comment="message or exchange"),
        sa.Column("entity_id", sa.Uuid(as_uuid=False), nullable=False, comment="The message or exchange"),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column(
            "method",
            sa.Text(),
            nullable=False,
            comment="exact:<normalisation>: equal under it; near: similar enough by Jaccard on shingles of three words",
        ),
        sa.Column(
            "similarity",
            sa.Double(),
            nullable=False,
            comment="To the kept member; 1 for exact copies and for itself",
        ),
        sa.Column("is_kept", sa.Boolean(), nullable=False, comment="The one member of the cluster to keep"),
        sa.Column(
            "keep_reason",
            sa.Text(),
            nullable=True,
            comment="What the kept member has before the next best one: active_path, longest, newest or smallest_id",
        ),
        sa.Column(
            "copy_kind",
            sa.Text(),
            nullable=True,
            comment="prefix: came with a fork or resumed chat; content: said again; NULL for the kept member",
        ),
        sa.Column(
            "cluster_size", sa.Integer(), nullable=False, comment="Members of the cluster, the kept one included"
        ),
        sa.Column("text_length", sa.Integer(), nullable=False, comment="Characters of the text"),
        sa.CheckConstraint("entity_type IN ('message', 'exchange')", name=op.f("ck_duplicate_clusters_entity_type")),
        sa.CheckConstraint(
            "method IN ('exact:none', 'exact:lowercase', 'exact:whitespace', 'exact:full', 'near')",
            name=op.f("ck_duplicate_clusters_method"),
        ),
        sa.CheckConstraint(
            "keep_reason IN ('active_path', 'longest', 'newest', 'smallest_id')",
            name=op.f("ck_duplicate_clusters_keep_reason"),
        ),
        sa.CheckConstraint("copy_kind IN ('prefix', 'content')", name=op.f("ck_duplicate_clusters_copy_kind")),
        sa.CheckConstraint("is_kept = (keep_reason IS NOT NULL)", name=op.f("ck_duplicate_clusters_kept_has_reason")),
        sa.CheckConstraint("is_kept = (copy_kind IS NULL)", name=op.f("ck_duplicate_clusters_others_are_copies")),
        sa.CheckConstraint("cluster_size > 1", name=op.f("ck_duplicate_clusters_cluster_size")),
        sa.CheckConstraint("similarity > 0 AND similarity <= 1", name=op.f("ck_duplicate_clusters_similarity")),
        sa.ForeignKeyConstraint(
            ["dialogue_id"],
            ["raw.dialogues.id"],
            name=op.f("fk_duplicate_clusters_dialogue_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("entity_id", "method", name=op.f("pk_duplicate_clusters")),
        schema="derived",
        comment="Messages and exchanges that say the same or nearly, over the whole archive (seed 000)",
    )
    op.create_index(op.f("ix_duplicate_clusters_cluster_id"), "duplicate_clusters", ["cluster_id"], schema="derived")
    op.create_index(op.f("ix_duplicate_clusters_dialogue_id"), "duplicate_clusters", ["dialogue_id"], schema="derived")
    op.create_index(
        "uq_duplicate_clusters_kept",
        "duplicate_clusters",
        ["cluster_id"],
        unique=True,
        schema="derived",
        postgresql_where=sa.text("is_kept"),
    )


def downgrade() -> None:
    op.drop_table("duplicate_clusters", schema="derived")
