-- Ids in a range of Dagster's old events: not those that are kept, nor any of a run that has not ended.
SELECT event.id
FROM dagster.event_logs AS event
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
    );
