-- Deletes what events had in common where none of them is left.
DELETE FROM dagster.event_shapes AS shape
WHERE
    NOT EXISTS (
        SELECT
        FROM dagster.event_logs AS event
        WHERE event.id BETWEEN shape.id AND shape.last_event_id
    );
