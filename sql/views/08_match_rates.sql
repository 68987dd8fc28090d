-- How often the archive answered, per day and model (seed 003: track which responses were reused).
CREATE OR REPLACE VIEW derived.match_rates AS
SELECT
    date_trunc('day', log.asked_at)::date AS day,
    log.model,
    count(*) AS asked,
    count(*) FILTER (WHERE log.is_hit) AS hits,
    count(*) FILTER (WHERE log.is_created) AS stored,
    round(avg(log.is_hit::int), 4) AS hit_rate
FROM raw.match_log AS log
GROUP BY date_trunc('day', log.asked_at)::date, log.model;
