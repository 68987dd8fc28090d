-- The rows of one session of Hermes, and its system prompt, which other sessions may have too.
SELECT
    'messages' AS source_table,
    row_id
FROM messages
WHERE session_id = :id
UNION ALL
SELECT
    'session_model_usage' AS source_table,
    row_id
FROM session_model_usage
WHERE session_id = :id
UNION ALL
SELECT
    'sessions' AS source_table,
    row_id
FROM sessions
WHERE id = :id
UNION ALL
SELECT
    'system_prompts' AS source_table,
    row_id
FROM system_prompts
WHERE
    hash IN (
        SELECT sessions.system_prompt_hash FROM sessions
        WHERE sessions.id = :id
    )
ORDER BY 1, 2;
