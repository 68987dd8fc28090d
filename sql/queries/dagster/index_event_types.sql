-- Narrows Dagster's index of events by type to those that are asked for by it: materialisations, of which there is one
-- for each asset of each dialogue, are asked for by asset.
DROP INDEX idx_event_type;

CREATE INDEX idx_event_type ON event_logs (dagster_event_type, id)
WHERE dagster_event_type <> 'ASSET_MATERIALIZATION';
