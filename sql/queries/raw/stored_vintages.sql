SELECT
    stored.dialogue_id::text AS dialogue_id,
    stored.vintage,
    stored.source_updated_at,
    stored.layer,
    stored.reader_version
FROM raw.dialogue_vintages AS stored
WHERE stored.dialogue_id = ANY(%(ids)s::uuid []);
