-- Deletes the materialisations of some partitions of all assets, with what Dagster keeps of the last one of each: their
-- metadata has titles and texts. Those of runs that have not ended stay. Their tags go too, but for those of a shape,
-- which are those of other events.
WITH deleted AS (
    DELETE FROM dagster.event_logs AS event
    USING dagster.asset_keys AS asset
    WHERE
        event.asset_key = asset.asset_key
        AND event.dagster_event_type = 'ASSET_MATERIALIZATION'
        AND event.partition = ANY(%(keys)s::text [])
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

UPDATE dagster.asset_keys AS asset
SET last_materialization = NULL -- Dagster asks its events instead
FROM deleted
WHERE (asset.last_materialization::jsonb ->> 'storage_id')::bigint = deleted.id;
