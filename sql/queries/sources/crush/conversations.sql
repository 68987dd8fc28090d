-- The ids of all sessions in a database of Crush; also of one whose row is damaged.
SELECT id
FROM sessions
WHERE id IS NOT NULL
UNION
SELECT session_id
FROM messages
WHERE session_id IS NOT NULL
ORDER BY 1;
