-- The rows of one session of Crush, the files that it changed and read included.
SELECT
    'files' AS source_table,
    row_id
FROM files
WHERE session_id = :id
UNION ALL
SELECT
    'messages' AS source_table,
    row_id
FROM messages
WHERE session_id = :id
UNION ALL
SELECT
    'read_files' AS source_table,
    row_id
FROM read_files
WHERE session_id = :id
UNION ALL
SELECT
    'sessions' AS source_table,
    row_id
FROM sessions
WHERE id = :id
ORDER BY 1, 2;
