-- The ids of all sessions in a database of OpenClaw that have events.
SELECT DISTINCT session_id
FROM transcript_events
WHERE session_id IS NOT NULL
ORDER BY session_id;
