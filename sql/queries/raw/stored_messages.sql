SELECT
    message.id::text AS id,
    message.source_id,
    message.parent_id::text AS parent_id,
    message.sequence_number,
    message.deleted_at IS NULL AS is_live,
    message.content_hash,
    message.origin,
    CASE WHEN message.parent_flag = 'missing_parent' THEN message.source_parent_id END AS missing_parent
FROM raw.messages AS message
WHERE message.dialogue_id = %(dialogue_id)s;
