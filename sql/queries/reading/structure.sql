-- The live messages of a dialogue without their contents, in the order of derived computations: unknown times first,
-- then time, then sequence number; whether there is anything to show of each.
SELECT
    message.id::text AS id,
    message.dialogue_id::text AS dialogue_id,
    message.parent_id::text AS parent_id,
    message.role,
    message.sequence_number,
    message.created_at,
    message.is_hidden,
    content.message_id IS NOT NULL AS has_content
FROM raw.messages AS message
LEFT JOIN derived.messages_with_content AS content
    ON
        message.id = content.message_id
        AND message.dialogue_id = content.dialogue_id
WHERE
    message.dialogue_id = %(dialogue_id)s::uuid
    AND message.deleted_at IS NULL
ORDER BY
    message.created_at NULLS FIRST,
    message.sequence_number;
