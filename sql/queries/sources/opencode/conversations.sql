-- The ids of all sessions in a database of OpenCode, of both of its versions; also of one whose row is damaged.
SELECT id
FROM session
WHERE id IS NOT NULL
UNION
SELECT id
FROM session_v2
WHERE id IS NOT NULL
UNION
SELECT session_id
FROM message
WHERE session_id IS NOT NULL
UNION
SELECT session_id
FROM session_message
WHERE session_id IS NOT NULL
ORDER BY 1;
