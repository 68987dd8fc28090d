-- The texts that sources extracted from files, of live messages.
SELECT
    attachment.message_id::text AS message_id,
    dialogue.partition_key || '/' || message.source_id AS place,
    attachment.file_name,
    attachment.extracted_text
FROM raw.attachments AS attachment
INNER JOIN raw.messages AS message
    ON
        attachment.message_id = message.id
        AND attachment.dialogue_id = message.dialogue_id
INNER JOIN raw.dialogues AS dialogue
    ON attachment.dialogue_id = dialogue.id
WHERE message.deleted_at IS NULL AND attachment.extracted_text IS NOT NULL
ORDER BY dialogue.partition_key, message.sequence_number, attachment.sequence;
