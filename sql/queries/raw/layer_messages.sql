-- The live messages of a dialogue that imports brought.
SELECT
    message.id::text AS id,
    message.source_id,
    parent.source_id AS parent,
    message.source_parent_id,
    message.parent_flag,
    message.role,
    message.created_at,
    message.updated_at,
    message.model,
    message.author_name,
    message.recipient,
    message.channel,
    message.state,
    message.is_hidden,
    message.content_hash,
    message.source_json::text AS source_json
FROM raw.messages AS message
LEFT JOIN raw.messages AS parent
    ON
        message.parent_id = parent.id
        AND message.dialogue_id = parent.dialogue_id
WHERE message.dialogue_id = %(dialogue_id)s AND message.deleted_at IS NULL AND message.origin = 'import'
ORDER BY message.sequence_number;
