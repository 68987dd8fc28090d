-- Deletes old events of Dagster in a range of ids: not those that are kept, nor any of a run that has not ended. Their
-- tags go too, but for those of a shape, which are those of other events.
WITH deleted AS (
    DELETE FROM dagster.event_logs AS event
    WHERE
        event.id BETWEEN %(first_id)s AND %(last_id)s
        AND event.timestamp < (now() AT TIME ZONE 'UTC') - make_interval(days => %(days)s)
        AND NOT EXISTS (SELECT FROM kept_event AS kept WHERE kept.id = event.id)
        AND NOT EXISTS (
            SELECT
            FROM dagster.runs AS run
            WHERE
                run.run_id = event.run_id
                AND run.status NOT IN ('SUCCESS', 'FAILURE', 'CANCELED')
        )
    RETURNING event.id
),

untagged AS (
    DELETE FROM dagster.asset_event_tags AS tag
    USING deleted
    WHERE
        tag.event_id = deleted.id
        AND NOT EXISTS (SELECT FROM dagster.event_shapes AS shape WHERE shape.id = tag.event_id)
)

SELECT count(*) AS deleted
FROM deleted;
