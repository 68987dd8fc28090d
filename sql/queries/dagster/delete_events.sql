-- Deletes events with what Dagster keeps of the last materialisation of each asset: its metadata has titles and texts.
-- Their tags go too, but for those of a shape, which are those of other events.
WITH deleted AS (
    DELETE FROM dagster.event_logs AS event
    WHERE event.id = ANY(%(ids)s::bigint [])
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
