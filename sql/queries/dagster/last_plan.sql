-- The last plan to materialise a partition of an asset. A plan is an event of one partition, or of a set of them.
SELECT
    event.id,
    event.run_id
FROM dagster.event_logs AS event
WHERE
    event.asset_key = %(asset_key)s
    AND event.dagster_event_type = 'ASSET_MATERIALIZATION_PLANNED'
    AND event.timestamp > %(wiped_at)s
    AND (
        event.partition = %(partition)s
        OR (
            event.partition IS NULL
            AND dagster.event_text(event.event)::jsonb
            #> '{dagster_event,event_specific_data,partitions_subset,subset,__set__}'
            @> to_jsonb(%(partition)s::text)
        )
    )
ORDER BY event.id DESC
LIMIT 1;
