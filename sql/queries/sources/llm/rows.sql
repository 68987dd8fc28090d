-- The rows of one conversation of llm: its responses, or its turns and all messages above those that they end with, and
-- whatever these name. A turn of another thread whose messages are among them says when they were made, and by which
-- model. UNION ends a circle of messages.
WITH RECURSIVE
own_responses (row_id, id, schema_id) AS (
    SELECT
        row_id,
        id,
        schema_id
    FROM responses
    WHERE conversation_id = :id
    UNION
    SELECT
        row_id,
        id,
        schema_id
    FROM responses
    WHERE conversation_id IS NULL AND id = :id
),

own_turns (row_id, id, schema_id, parent_message_hash, tip_message_hash) AS (
    SELECT
        row_id,
        id,
        schema_id,
        parent_message_hash,
        tip_message_hash
    FROM turns
    WHERE thread_id = :id
    UNION
    SELECT
        row_id,
        id,
        schema_id,
        parent_message_hash,
        tip_message_hash
    FROM turns
    WHERE thread_id IS NULL AND id = :id
),

own_messages (hash) AS (
    SELECT tip_message_hash FROM threads WHERE id = :id
    UNION
    SELECT tip_message_hash FROM own_turns
    UNION
    SELECT parent_message_hash FROM own_turns
    UNION
    SELECT hash FROM messages WHERE hash = :id
    UNION
    SELECT messages.parent_hash
    FROM own_messages
    INNER JOIN messages ON own_messages.hash = messages.hash
    WHERE messages.parent_hash IS NOT NULL
),

all_turns (row_id, id, schema_id) AS (
    SELECT
        row_id,
        id,
        schema_id
    FROM own_turns
    UNION
    SELECT
        turns.row_id,
        turns.id,
        turns.schema_id
    FROM own_messages
    INNER JOIN turns ON own_messages.hash = turns.tip_message_hash
),

own_parts (row_id, id) AS (
    SELECT
        parts.row_id,
        parts.id
    FROM own_messages
    INNER JOIN parts ON own_messages.hash = parts.message_hash
),

own_results (row_id, id, tool_id, instance_id) AS (
    SELECT
        tool_results.row_id,
        tool_results.id,
        tool_results.tool_id,
        tool_results.instance_id
    FROM own_responses
    INNER JOIN tool_results ON own_responses.id = tool_results.response_id
),

own_calls (row_id, tool_id) AS (
    SELECT
        tool_calls.row_id,
        tool_calls.tool_id
    FROM own_responses
    INNER JOIN tool_calls ON own_responses.id = tool_calls.response_id
),

links (source_table, row_id, attachment_id, fragment_id, tool_id, instance_id) AS (
    SELECT
        'prompt_attachments',
        row_id,
        attachment_id,
        NULL,
        NULL,
        NULL
    FROM prompt_attachments
    WHERE response_id IN (SELECT own_responses.id FROM own_responses)
    UNION ALL
    SELECT
        'tool_results_attachments',
        row_id,
        attachment_id,
        NULL,
        NULL,
        NULL
    FROM tool_results_attachments
    WHERE tool_result_id IN (SELECT own_results.id FROM own_results)
    UNION ALL
    SELECT
        'part_attachments',
        row_id,
        attachment_id,
        NULL,
        NULL,
        NULL
    FROM part_attachments
    WHERE part_id IN (SELECT own_parts.id FROM own_parts)
    UNION ALL
    SELECT
        'prompt_fragments',
        row_id,
        NULL,
        fragment_id,
        NULL,
        NULL
    FROM prompt_fragments
    WHERE response_id IN (SELECT own_responses.id FROM own_responses)
    UNION ALL
    SELECT
        'system_fragments',
        row_id,
        NULL,
        fragment_id,
        NULL,
        NULL
    FROM system_fragments
    WHERE response_id IN (SELECT own_responses.id FROM own_responses)
    UNION ALL
    SELECT
        'part_fragments',
        row_id,
        NULL,
        fragment_id,
        NULL,
        NULL
    FROM part_fragments
    WHERE part_id IN (SELECT own_parts.id FROM own_parts)
    UNION ALL
    SELECT
        'turn_fragments',
        row_id,
        NULL,
        fragment_id,
        NULL,
        NULL
    FROM turn_fragments
    WHERE turn_id IN (SELECT all_turns.id FROM all_turns)
    UNION ALL
    SELECT
        'tool_calls',
        row_id,
        NULL,
        NULL,
        tool_id,
        NULL
    FROM own_calls
    UNION ALL
    SELECT
        'tool_results',
        row_id,
        NULL,
        NULL,
        tool_id,
        instance_id
    FROM own_results
    UNION ALL
    SELECT
        'tool_responses',
        row_id,
        NULL,
        NULL,
        tool_id,
        NULL
    FROM tool_responses
    WHERE response_id IN (SELECT own_responses.id FROM own_responses)
    UNION ALL
    SELECT
        'turn_tools',
        row_id,
        NULL,
        NULL,
        tool_id,
        instance_id
    FROM turn_tools
    WHERE turn_id IN (SELECT all_turns.id FROM all_turns)
    UNION ALL
    SELECT
        'tool_instantiations',
        row_id,
        NULL,
        NULL,
        NULL,
        instance_id
    FROM tool_instantiations
    WHERE turn_id IN (SELECT all_turns.id FROM all_turns)
)

SELECT
    'attachments' AS source_table,
    row_id
FROM attachments
WHERE id IN (SELECT links.attachment_id FROM links)
UNION ALL
SELECT
    'conversations' AS source_table,
    row_id
FROM conversations
WHERE id = :id
UNION ALL
SELECT
    'fragment_aliases' AS source_table,
    row_id
FROM fragment_aliases
WHERE fragment_id IN (SELECT links.fragment_id FROM links)
UNION ALL
SELECT
    'fragments' AS source_table,
    row_id
FROM fragments
WHERE id IN (SELECT links.fragment_id FROM links)
UNION ALL
SELECT
    source_table,
    row_id
FROM links
UNION ALL
SELECT
    'logs' AS source_table,
    row_id
FROM logs
WHERE
    chat_id IN (substr(:id, 6), cast(substr(:id, 6) AS integer))
    AND 'logs-' || chat_id = :id
UNION ALL
SELECT
    'logs' AS source_table,
    row_id
FROM logs
WHERE
    chat_id IS NULL
    AND id IN (substr(:id, 6), cast(substr(:id, 6) AS integer))
    AND 'logs-' || id = :id
UNION ALL
SELECT
    'messages' AS source_table,
    row_id
FROM messages
WHERE hash IN (SELECT own_messages.hash FROM own_messages)
UNION ALL
SELECT
    'parts' AS source_table,
    row_id
FROM own_parts
UNION ALL
SELECT
    'responses' AS source_table,
    row_id
FROM own_responses
UNION ALL
SELECT
    'schemas' AS source_table,
    row_id
FROM schemas
WHERE
    id IN (SELECT own_responses.schema_id FROM own_responses)
    OR id IN (SELECT all_turns.schema_id FROM all_turns)
UNION ALL
SELECT
    'threads' AS source_table,
    row_id
FROM threads
WHERE id = :id
UNION ALL
SELECT
    'tool_instances' AS source_table,
    row_id
FROM tool_instances
WHERE id IN (SELECT links.instance_id FROM links)
UNION ALL
SELECT
    'tools' AS source_table,
    row_id
FROM tools
WHERE id IN (SELECT links.tool_id FROM links)
UNION ALL
SELECT
    'turns' AS source_table,
    row_id
FROM all_turns
ORDER BY 1, 2;
