-- The rows of one session of Goose, and the row of the session that started it, which tells that one's id.
SELECT
    'messages' AS source_table,
    row_id
FROM messages
WHERE session_id = :id
UNION ALL
SELECT
    'sessions' AS source_table,
    row_id
FROM sessions
WHERE
    id = :id
    OR id IN (
        SELECT own.parent_session_id FROM sessions AS own
        WHERE own.id = :id
    )
UNION ALL
SELECT
    'usage_ledger' AS source_table,
    row_id
FROM usage_ledger
WHERE session_id = :id
ORDER BY 1, 2;
