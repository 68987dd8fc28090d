-- What live messages call the files they came with: ids of attachments, and pointers of pictures and other media.
SELECT
    message.id::text AS message_id,
    attachment.source_id AS pointer,
    attachment.file_name
FROM raw.attachments AS attachment
INNER JOIN raw.messages AS message
    ON
        attachment.message_id = message.id
        AND attachment.dialogue_id = message.dialogue_id
WHERE message.deleted_at IS NULL AND attachment.source_id IS NOT NULL
UNION
SELECT
    message.id::text AS message_id,
    part.uri AS pointer,
    NULL::text AS file_name
FROM raw.content_parts AS part
INNER JOIN raw.messages AS message
    ON
        part.message_id = message.id
        AND part.dialogue_id = message.dialogue_id
WHERE message.deleted_at IS NULL AND part.uri IS NOT NULL AND part.part_type IN ('image', 'audio', 'video', 'file')
ORDER BY message_id, pointer, file_name;
