-- Images, audio, video, files and attachments of the live messages of some dialogues.
SELECT
    part.message_id::text AS message_id,
    FALSE AS is_attachment,
    part.sequence,
    part.content_sha256,
    part.uri,
    NULL AS file_name,
    part.tool_use_id
FROM raw.content_parts AS part
INNER JOIN raw.messages AS message
    ON
        part.message_id = message.id
        AND part.dialogue_id = message.dialogue_id
WHERE
    part.dialogue_id = ANY('{dialogue_ids}'::uuid [])
    AND part.part_type IN ('image', 'audio', 'video', 'file')
    AND message.deleted_at IS NULL
UNION ALL
SELECT
    attachment.message_id::text,
    TRUE,
    attachment.sequence,
    attachment.content_sha256,
    attachment.uri,
    attachment.file_name,
    NULL
FROM raw.attachments AS attachment
INNER JOIN raw.messages AS message
    ON
        attachment.message_id = message.id
        AND attachment.dialogue_id = message.dialogue_id
WHERE
    attachment.dialogue_id = ANY('{dialogue_ids}'::uuid [])
    AND message.deleted_at IS NULL;
