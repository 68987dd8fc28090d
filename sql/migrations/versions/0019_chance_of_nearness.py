"""What questions of made-up words are near to by chance, per embedding model.

Revision ID: 0019
Revises: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

_COLUMNS = (
    ("chance_vector_count", sa.Integer, "Vectors when the chances below were measured; NULL before"),
    ("usual_chance", sa.Double, "Cosine that half of all questions of made-up words reach with some text"),
    ("high_chance", sa.Double, "Cosine that one of twenty such questions reaches"),
    ("highest_chance_of_few", sa.Double, "Highest cosine of such questions of one or two words"),
)


def upgrade() -> None:
    for name, kind, comment in _COLUMNS:
        op.add_column(
            "embedding_generations", sa.Column(name, kind(), nullable=True, comment=comment), schema="derived"
        )


def downgrade() -> None:
    for name, _, _ in reversed(_COLUMNS):
        op.drop_column("embedding_generations", name, schema="derived")
