-- Ids of the materialisations of some partitions of all assets, but for those of runs that have not ended.
SELECT event.id
FROM dagster.event_logs AS event
INNER JOIN dagster.asset_keys AS asset ON event.asset_key = asset.asset_key
WHERE
    event.dagster_event_type = 'ASSET_MATERIALIZATION'
    AND event.partition = ANY(%(keys)s::text [])
    AND NOT EXISTS (
        SELECT
        FROM dagster.runs AS run
        WHERE
            run.run_id = event.run_id
            AND run.status NOT IN ('SUCCESS', 'FAILURE', 'CANCELED')
    );
