"""Clusters of dialogues that are runs of one task.

Revision ID: 0030
Revises: 0029
"""

from alembic import op

revision = "0030"
down_revision = "0029"

_TABLE = "duplicate_clusters"
_EXACT = ("exact:none", "exact:lowercase", "exact:whitespace", "exact:full")
_BEFORE = {"entity_type": ("message", "exchange"), "method": (*_EXACT, "near")}
_NOW = {"entity_type": (*_BEFORE["entity_type"], "dialogue"), "method": (*_BEFORE["method"], "runs")}
_COMMENTS = {
    "entity_type": ("message or exchange", "message, exchange or dialogue"),
    "entity_id": ("The message or exchange", "The message, exchange or dialogue"),
    "method": (
        "exact:<normalisation>: equal under it; near: similar enough by Jaccard on shingles of three words",
        (
            "exact:<normalisation>: equal under it; near: similar enough by Jaccard on shingles of three words; "
            "runs: dialogues with at least half of the calls of tools and their results in common"
        ),
    ),
    "text_length": ("Characters of the text", "Characters of the text, or of the tools' results"),
}
_TABLE_COMMENTS = (
    "Messages and exchanges that say the same or nearly, over the whole archive (seed 000)",
    "Messages and exchanges that say nearly the same, and runs of one task, over the whole archive (seed 000)",
)


def upgrade() -> None:
    _constrain(_NOW)
    _comment(1)


def downgrade() -> None:
    op.execute("DELETE FROM derived.duplicate_clusters WHERE entity_type = 'dialogue'")
    _constrain(_BEFORE)
    _comment(0)


def _constrain(allowed: dict[str, tuple[str, ...]]) -> None:
    for column, values in allowed.items():
        name = f"ck_{_TABLE}_{column}"
        op.drop_constraint(op.f(name), _TABLE, schema="derived", type_="check")
        listed = ", ".join(f"'{value}'" for value in values)
        op.create_check_constraint(op.f(name), _TABLE, f"{column} IN ({listed})", schema="derived")


def _comment(version: int) -> None:
    for column, comments in _COMMENTS.items():
        op.alter_column(_TABLE, column, comment=comments[version], schema="derived")
    op.create_table_comment(_TABLE, _TABLE_COMMENTS[version], schema="derived")
