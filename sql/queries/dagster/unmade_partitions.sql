-- Partitions of an asset whose last plan no materialisation followed, with the run and the id of that plan.
-- A plan is an event of one partition, or of a set of them.
WITH latest AS (
    SELECT
        event.dagster_event_type,
        event.partition,
        max(event.id) AS id
    FROM dagster.event_logs AS event
    WHERE
        event.asset_key = %(asset_key)s
        AND event.partition IS NOT NULL
        AND event.dagster_event_type IN ('ASSET_MATERIALIZATION', 'ASSET_MATERIALIZATION_PLANNED')
        AND event.id > %(after_id)s
        AND event.timestamp > %(wiped_at)s
    GROUP BY event.dagster_event_type, event.partition
),

planned AS (
    SELECT
        event.id,
        jsonb_array_elements_text(
            dagster.event_text(event.event)::jsonb
            #> '{dagster_event,event_specific_data,partitions_subset,subset,__set__}'
        ) AS partition
    FROM dagster.event_logs AS event
    WHERE
        event.asset_key = %(asset_key)s
        AND event.partition IS NULL
        AND event.dagster_event_type = 'ASSET_MATERIALIZATION_PLANNED'
        AND event.id > %(after_id)s
        AND event.timestamp > %(wiped_at)s
    UNION ALL
    SELECT
        latest.id,
        latest.partition
    FROM latest
    WHERE latest.dagster_event_type = 'ASSET_MATERIALIZATION_PLANNED'
),

last_plan AS (
    SELECT
        planned.partition,
        max(planned.id) AS id
    FROM planned
    GROUP BY planned.partition
)

SELECT
    last_plan.partition,
    event.run_id,
    last_plan.id
FROM last_plan
INNER JOIN dagster.event_logs AS event ON last_plan.id = event.id
WHERE
    NOT EXISTS (
        SELECT
        FROM latest AS made
        WHERE
            made.dagster_event_type = 'ASSET_MATERIALIZATION'
            AND made.partition = last_plan.partition
            AND made.id > last_plan.id
    );
