-- Visible texts, tool calls and media of some messages, in order.
SELECT
    part.message_id::text AS message_id,
    part.part_type,
    part.text_content,
    part.tool_use_id,
    part.tool_name,
    part.tool_input::text AS tool_input
FROM raw.content_parts AS part
WHERE
    part.dialogue_id = ANY(%(dialogue_ids)s::uuid [])
    AND part.message_id = ANY(%(message_ids)s::uuid [])
    AND part.part_type IN ('text', 'tool_use', 'image', 'audio', 'video', 'file')
ORDER BY
    part.message_id,
    part.sequence;
