-- An event that stands for at most one partition.
INSERT INTO event_logs (run_id, event, dagster_event_type, timestamp, step_key, asset_key, partition)
VALUES (
    %(run_id)s, %(event)s, %(dagster_event_type)s, %(timestamp)s, %(step_key)s, %(asset_key)s, %(partition)s
)
RETURNING id;
