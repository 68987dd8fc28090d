-- How often the archive answered, per day, model and entry point (seed 003: track which responses were reused).
CREATE OR REPLACE VIEW derived.match_rates AS
SELECT
    date_trunc('day', log.asked_at)::date AS day,
    log.model,
    log.door,
    count(*) AS asked,
    count(*) FILTER (WHERE log.outcome = 'found') AS hits,
    count(*) FILTER (WHERE log.outcome = 'generated_equal') AS generated_equal,
    count(*) FILTER (WHERE log.outcome = 'generated_new') AS generated_new,
    count(*) FILTER (WHERE log.is_created) AS stored,
    round(avg((log.outcome = 'found')::int), 4) AS hit_rate
FROM raw.match_log AS log
GROUP BY date_trunc('day', log.asked_at)::date, log.model, log.door;
