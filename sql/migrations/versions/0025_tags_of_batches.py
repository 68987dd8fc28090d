"""Less of Dagster on disk: tags that the events of a batch have in common stand once, an index has what it is asked for.

``dagster.asset_event_tags`` keeps those of the event that a shape has its id of, and of events that are whole texts.
The index of events by their type leaves out materialisations, nearly all events, which are asked for by asset. Where
Dagster has no tables yet, it makes them later, and the archive's storage the index. No row of the archive changes.

Revision ID: 0025
Revises: 0024
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"

# Not STRICT: PostgreSQL would call it for each event instead of putting it into the query.
EVENT_SHAPE_ID = """
CREATE FUNCTION dagster.event_shape_id(event text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN left(event, 1) <> '{' THEN split_part(event, E'\\n', 1)::bigint END
"""
COMMENT = "Id of the shape of a row of event_logs; NULL if the event is a whole text"
# Builds go on meanwhile, and write an event before its tags: what they write after the tags were read would be lost.
NOBODY_WRITES = "LOCK TABLE dagster.event_logs, dagster.asset_event_tags IN ACCESS EXCLUSIVE MODE"
# Their events have the same ones. The shape's own event may be gone: what is left of the others is kept then.
KEPT_TAGS = """
CREATE TEMPORARY TABLE kept_tag ON COMMIT DROP AS
SELECT DISTINCT ON (tagged_id, tag.key)
    tag.id,
    coalesce(dagster.event_shape_id(event.event), event.id) AS tagged_id,
    tag.asset_key,
    tag.key,
    tag.value,
    tag.event_timestamp
FROM dagster.asset_event_tags AS tag
INNER JOIN dagster.event_logs AS event ON tag.event_id = event.id
ORDER BY tagged_id, tag.key, tag.id
"""
TAGS_OF_ALL = """
INSERT INTO dagster.asset_event_tags (event_id, asset_key, key, value, event_timestamp)
SELECT
    event.id,
    tag.asset_key,
    tag.key,
    tag.value,
    tag.event_timestamp
FROM dagster.event_logs AS event
INNER JOIN dagster.asset_event_tags AS tag
    ON tag.event_id = dagster.event_shape_id(event.event) AND tag.asset_key = event.asset_key
WHERE event.id <> dagster.event_shape_id(event.event)
"""


def upgrade() -> None:
    op.execute(EVENT_SHAPE_ID)
    op.execute(f"COMMENT ON FUNCTION dagster.event_shape_id IS '{COMMENT}'")
    if _has_events():
        op.execute(NOBODY_WRITES)
        op.execute(KEPT_TAGS)
        op.execute("TRUNCATE dagster.asset_event_tags")  # gives back its room, as DELETE does not
        op.execute(
            "INSERT INTO dagster.asset_event_tags (id, event_id, asset_key, key, value, event_timestamp)"
            " SELECT * FROM kept_tag ORDER BY id"
        )
        _index_types(" WHERE dagster_event_type <> 'ASSET_MATERIALIZATION'")


def downgrade() -> None:
    if _has_events():
        op.execute(NOBODY_WRITES)
        op.execute(TAGS_OF_ALL)
        _index_types("")
    op.execute("DROP FUNCTION dagster.event_shape_id")


def _has_events() -> bool:
    return op.get_bind().execute(sa.text("SELECT to_regclass('dagster.event_logs')")).scalar() is not None


def _index_types(condition: str) -> None:
    op.execute("DROP INDEX IF EXISTS dagster.idx_event_type")
    op.execute(f"CREATE INDEX idx_event_type ON dagster.event_logs (dagster_event_type, id){condition}")
