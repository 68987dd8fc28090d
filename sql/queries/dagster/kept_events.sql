-- Events of Dagster that are kept however old they are: the latest of each kind per asset and partition (of planned
-- materialisations only those that nothing came of, by which the UI knows a failed partition), and of each check. Of
-- the given assets only partitions that are registered count: the others are shown nowhere.
CREATE TEMPORARY TABLE kept_event ON COMMIT PRESERVE ROWS AS
WITH planned_set AS (
    SELECT
        event.id,
        event.asset_key,
        dagster.event_text(event.event)::jsonb
        #> '{dagster_event,event_specific_data,partitions_subset,subset,__set__}' AS partitions
    FROM dagster.event_logs AS event
    WHERE event.partition IS NULL AND event.dagster_event_type = 'ASSET_MATERIALIZATION_PLANNED'
),

event_of_partition AS (
    SELECT
        event.id,
        event.asset_key,
        event.partition,
        event.dagster_event_type
    FROM dagster.event_logs AS event
    LEFT JOIN planned_set ON event.id = planned_set.id
    WHERE
        event.asset_key IS NOT NULL
        AND event.dagster_event_type LIKE 'ASSET_%%'
        AND event.dagster_event_type NOT LIKE 'ASSET_CHECK_%%'
        AND planned_set.partitions IS NULL
    UNION ALL
    SELECT
        planned_set.id,
        planned_set.asset_key,
        jsonb_array_elements_text(planned_set.partitions) AS partition,
        'ASSET_MATERIALIZATION_PLANNED' AS dagster_event_type
    FROM planned_set
    WHERE planned_set.partitions IS NOT NULL
),

latest AS (
    SELECT
        event.dagster_event_type,
        max(event.id) AS id,
        max(max(event.id) FILTER (WHERE event.dagster_event_type = 'ASSET_MATERIALIZATION')) OVER of_partition
            AS materialized_id
    FROM event_of_partition AS event
    WHERE
        event.partition IS NULL
        OR NOT event.asset_key = ANY(%(asset_keys)s)
        OR EXISTS (
            SELECT
            FROM dagster.dynamic_partitions AS key
            WHERE
                key.partition = event.partition
                AND key.partitions_def_name = ANY(%(definitions)s) -- noqa: RF02
        )
    GROUP BY event.asset_key, event.partition, event.dagster_event_type
    WINDOW of_partition AS (PARTITION BY event.asset_key, event.partition)
)

SELECT latest.id
FROM latest
WHERE
    latest.dagster_event_type <> 'ASSET_MATERIALIZATION_PLANNED'
    OR latest.id > coalesce(latest.materialized_id, 0)
UNION
SELECT max(execution.evaluation_event_storage_id) AS id
FROM dagster.asset_check_executions AS execution
WHERE execution.evaluation_event_storage_id IS NOT NULL
GROUP BY execution.asset_key, execution.check_name, execution.partition;
