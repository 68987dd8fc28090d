-- What live messages of some dialogues, or of all, call the files they came with: ids of attachments, and pointers of
-- pictures and other media. Contents that stand in the pointer itself are no pointers.
SELECT
    message.id::text AS message_id,
    message.dialogue_id::text AS dialogue_id,
    coalesce(attachment.source_id, attachment.uri) AS pointer,
    attachment.file_name
FROM raw.attachments AS attachment
INNER JOIN raw.messages AS message
    ON
        attachment.message_id = message.id
        AND attachment.dialogue_id = message.dialogue_id
WHERE
    attachment.dialogue_id = ANY(
        coalesce(%(dialogue_ids)s::uuid [], ARRAY(SELECT dialogue.id FROM raw.dialogues AS dialogue))
    )
    AND message.deleted_at IS NULL
    AND length(coalesce(attachment.source_id, attachment.uri)) <= %(characters)s
UNION
SELECT
    message.id::text AS message_id,
    message.dialogue_id::text AS dialogue_id,
    part.uri AS pointer,
    NULL::text AS file_name
FROM raw.content_parts AS part
INNER JOIN raw.messages AS message
    ON
        part.message_id = message.id
        AND part.dialogue_id = message.dialogue_id
WHERE
    part.dialogue_id = ANY(
        coalesce(%(dialogue_ids)s::uuid [], ARRAY(SELECT dialogue.id FROM raw.dialogues AS dialogue))
    )
    AND message.deleted_at IS NULL
    AND part.part_type IN ('image', 'audio', 'video', 'file')
    AND length(part.uri) <= %(characters)s
ORDER BY message_id, pointer, file_name;
