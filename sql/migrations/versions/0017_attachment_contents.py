"""Contents of attached files are kept, and files that are missing are recorded.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "attachment_contents",
        sa.Column(
            "sha256",
            sa.Text(),
            nullable=False,
            comment="SHA-256 of the bytes (hex), which names the file that has them",
        ),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False, comment="How many bytes"),
        sa.Column(
            "media_type",
            sa.Text(),
            nullable=False,
            comment="What they are, by their first bytes, whatever an export says",
        ),
        sa.Column(
            "first_seen",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When they came first",
        ),
        sa.CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_attachment_contents_sha256")),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_attachment_contents")),
        schema="raw",
        comment="Contents of attached files, each once, in ARCHIVE_HOME/attachments",
    )
    op.create_table(
        "attached_files",
        sa.Column("message_id", sa.Uuid(as_uuid=False), nullable=False, comment="Message that points to it"),
        sa.Column(
            "pointer",
            sa.Text(),
            nullable=False,
            comment="What the message calls it: source_id or uri of raw.attachments, uri of raw.content_parts",
        ),
        sa.Column("dialogue_id", sa.Uuid(as_uuid=False), nullable=False, comment="Dialogue the row belongs to"),
        sa.Column("file_id", sa.Text(), nullable=False, comment="Id in the pointer, by which exports name the file"),
        sa.Column("file_name", sa.Text(), nullable=True, comment="What the user called it; NULL if no export says"),
        sa.Column("sha256", sa.Text(), nullable=True, comment="Its content; NULL while it is missing"),
        sa.Column(
            "found_at",
            sa.Text(),
            nullable=True,
            comment="Place in an export where the content was found; NULL while it is missing",
        ),
        sa.Column(
            "looked_in",
            sa.Text(),
            nullable=True,
            comment="Paths of the last import that had the dialogue without the file, a line each",
        ),
        sa.Column("looked_at", sa.DateTime(timezone=True), nullable=True, comment="When that was"),
        sa.ForeignKeyConstraint(
            ["dialogue_id"], ["raw.dialogues.id"], name=op.f("fk_attached_files_dialogue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["raw.messages.id"], name=op.f("fk_attached_files_message_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["sha256"], ["raw.attachment_contents.sha256"], name=op.f("fk_attached_files_sha256")),
        sa.PrimaryKeyConstraint("message_id", "pointer", name=op.f("pk_attached_files")),
        schema="raw",
        comment="Files that messages point to, kept or missing",
    )
    for column in ("dialogue_id", "file_id", "sha256"):
        op.create_index(f"ix_attached_files_{column}", "attached_files", [column], schema="raw")


def downgrade() -> None:
    op.drop_table("attached_files", schema="raw")
    op.drop_table("attachment_contents", schema="raw")
