-- Between which ids look-ups of a messages array are old.
SELECT
    min(log.id) AS first_id,
    max(log.id) AS last_id
FROM raw.match_log AS log
WHERE log.asked_at < now() - make_interval(days => %(days)s);
