"""Comments that say what columns hold in the cases that were left out.

Revision ID: 0032
Revises: 0031
"""

from alembic import op

revision = "0032"
down_revision = "0031"

# Schema, table and column, the comment before and now.
_COMMENTS = (
    (
        "raw",
        "dialogue_vintages",
        "vintage",
        "Shape of the export, by what it can hold: full, slim, linear",
        (
            "Shape of the export, by what it can hold: full, slim, linear; of partial exports `partial` and the shape, "
            "with their time where others stand beside them"
        ),
    ),
    (
        "raw",
        "dialogue_vintages",
        "layer",
        "The dialogue as that export has it, compressed; NULL while all exports were of one vintage",
        "The dialogue as that export has it, compressed; NULL if its rows say all of it",
    ),
    (
        "raw",
        "dialogues",
        "title",
        "Title as the source has it",
        "Title as the source has it; NULL if that is empty or missing",
    ),
    (
        "raw",
        "content_parts",
        "is_error",
        "The tool reported an error",
        "The tool reported an error; NULL if the source does not say",
    ),
    (
        "derived",
        "dialogue_trees",
        "has_regenerations",
        "Some assistant-side siblings share a parent",
        "Some message has several children, all of the assistant's side; a mix of sides counts for neither",
    ),
    (
        "derived",
        "dialogue_trees",
        "has_edits",
        "Some user siblings share a parent",
        "Some message has several children, all of the user's side; a mix of sides counts for neither",
    ),
    (
        "derived",
        "content_hashes",
        "hash_simhash",
        "64-bit simhash (hex); NULL if the text has no word",
        (
            "64-bit simhash (hex), the same for all normalizations of a text: version 1 of the text as it is, "
            "version 2 of its full normalization; NULL if it has no word"
        ),
    ),
    (
        "derived",
        "qa_pairs",
        "question",
        "User text, or the tool call as text",
        "User text, empty if the message has none, or the tool call as text",
    ),
    (
        "derived",
        "qa_pairs",
        "answer",
        "Assistant text, or the tool's result",
        "Assistant text, empty if no message of the turn has any, or the tool's result",
    ),
)


def upgrade() -> None:
    for schema, table, column, _, now in _COMMENTS:
        op.alter_column(table, column, comment=now, schema=schema)


def downgrade() -> None:
    for schema, table, column, before, _ in _COMMENTS:
        op.alter_column(table, column, comment=before, schema=schema)
