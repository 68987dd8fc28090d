-- Tool calls and results in the live messages of some dialogues, and the artifacts and code that have a text.
SELECT
    part.message_id::text AS message_id,
    part.sequence,
    part.part_type = 'tool_result' AS is_result,
    part.tool_use_id,
    part.tool_name,
    part.tool_input::text AS tool_input,
    part.text_content AS text,
    coalesce(part.is_error, FALSE) AS is_error,
    CASE WHEN part.part_type IN ('artifact', 'code') THEN part.id::text END AS artifact_id
FROM raw.content_parts AS part
INNER JOIN raw.messages AS message
    ON
        part.message_id = message.id
        AND part.dialogue_id = message.dialogue_id
WHERE
    part.dialogue_id = ANY('{dialogue_ids}'::uuid [])
    AND (
        part.part_type IN ('tool_use', 'tool_result')
        OR (part.part_type IN ('artifact', 'code') AND part.text_content ~ '\S')
    )
    AND message.deleted_at IS NULL;
