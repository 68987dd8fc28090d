-- Live messages, in the order of derived computations: unknown times first, then time, then sequence number. They are
-- those of some dialogues, or those with some ids; the planner reduces the CASE to a column.
SELECT
    message.id::text AS id,
    message.dialogue_id::text AS dialogue_id,
    message.parent_id::text AS parent_id,
    message.role,
    message.sequence_number,
    message.created_at,
    message.model,
    message.author_name AS author,
    message.state,
    message.is_hidden,
    message.recipient
FROM raw.messages AS message
WHERE
    CASE WHEN '{scope}' = 'dialogues' THEN message.dialogue_id ELSE message.id END = ANY('{ids}'::uuid [])
    AND message.deleted_at IS NULL
ORDER BY
    message.dialogue_id,
    message.created_at NULLS FIRST,
    message.sequence_number;
