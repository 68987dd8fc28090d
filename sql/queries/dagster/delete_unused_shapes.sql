-- Deletes what events had in common where none of them is left: shapes and their tags.
WITH unused AS (
    DELETE FROM dagster.event_shapes AS shape
    WHERE
        NOT EXISTS (
            SELECT
            FROM dagster.event_logs AS event
            WHERE event.id BETWEEN shape.id AND shape.last_event_id
        )
    RETURNING shape.id
)

DELETE FROM dagster.asset_event_tags AS tag
USING unused
WHERE tag.event_id = unused.id;
