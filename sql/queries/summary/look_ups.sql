-- Look-ups of messages arrays per entry point, and what became of them.
SELECT
    log.door,
    count(*) AS asked,
    count(*) FILTER (WHERE log.outcome = 'found') AS found,
    count(*) FILTER (WHERE log.outcome = 'generated_equal') AS generated_equal,
    count(*) FILTER (WHERE log.outcome = 'generated_new') AS generated_new,
    count(*) FILTER (WHERE log.outcome = 'missed') AS missed
FROM raw.match_log AS log
GROUP BY log.door
ORDER BY log.door;
