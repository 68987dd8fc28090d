"""Look-ups say what became of them: found, generated though known, generated and new, missed.

Revision ID: 0018
Revises: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

# A call of find_or_create that stored nothing and was a hit may have brought an answer or not: what is not known to be
# found does not count as found.
OUTCOME_OF_BEFORE = """
UPDATE raw.match_log SET outcome = CASE
    WHEN is_hit AND door <> 'find_or_create' THEN 'found'
    WHEN door = 'find_path' THEN 'missed'
    WHEN is_created AND response_message_id IS NOT NULL THEN 'generated_new'
    WHEN response_message_id IS NOT NULL THEN 'generated_equal'
    ELSE 'missed'
END
"""


def upgrade() -> None:
    op.add_column(
        "match_log",
        sa.Column(
            "path_hash",
            sa.Text(),
            nullable=True,
            comment="Hash of the prompts of the array (hex); NULL before it was logged",
        ),
        schema="raw",
    )
    op.add_column(
        "match_log",
        sa.Column(
            "outcome",
            sa.Text(),
            nullable=True,
            comment="found: the archive answered; generated_equal or generated_new: an answer was given, which the archive "
            "had (of any model) or had not; missed: neither",
        ),
        schema="raw",
    )
    op.execute(OUTCOME_OF_BEFORE)
    op.alter_column("match_log", "outcome", nullable=False, schema="raw")
    op.create_check_constraint(
        op.f("ck_match_log_outcome"),
        "match_log",
        "outcome IN ('found', 'generated_equal', 'generated_new', 'missed')",
        schema="raw",
    )
    op.drop_constraint(op.f("ck_match_log_door"), "match_log", schema="raw")
    op.create_check_constraint(
        op.f("ck_match_log_door"),
        "match_log",
        "door IN ('find_path', 'find_or_create', 'respond', 'llm')",
        schema="raw",
    )
    op.alter_column(
        "match_log", "door", comment="Who asked: find_path, find_or_create, respond or llm (the plugin)", schema="raw"
    )


def downgrade() -> None:
    op.execute("DROP VIEW IF EXISTS derived.match_rates")  # views follow their files, whatever the version
    op.execute("UPDATE raw.match_log SET door = 'respond' WHERE door = 'llm'")
    op.drop_constraint(op.f("ck_match_log_door"), "match_log", schema="raw")
    op.create_check_constraint(
        op.f("ck_match_log_door"), "match_log", "door IN ('find_path', 'find_or_create', 'respond')", schema="raw"
    )
    op.alter_column("match_log", "door", comment="Who asked: find_path, find_or_create or respond", schema="raw")
    op.drop_column("match_log", "outcome", schema="raw")
    op.drop_column("match_log", "path_hash", schema="raw")
