-- The different texts that sources extracted from files of live messages, in order: each with the first file that has
-- it.
WITH placed AS (
    SELECT
        attachment.id,
        attachment.dialogue_id,
        attachment.message_id,
        attachment.file_name,
        dialogue.partition_key || '/' || message.source_id AS place,
        sha256(convert_to(attachment.extracted_text, 'UTF8')) AS text_hash,
        row_number() OVER (ORDER BY dialogue.partition_key, message.sequence_number, attachment.sequence) AS number
    FROM raw.attachments AS attachment
    INNER JOIN raw.messages AS message
        ON
            attachment.message_id = message.id
            AND attachment.dialogue_id = message.dialogue_id
    INNER JOIN raw.dialogues AS dialogue
        ON attachment.dialogue_id = dialogue.id
    WHERE message.deleted_at IS NULL AND attachment.extracted_text IS NOT NULL
)

SELECT
    (array_agg(placed.id::text ORDER BY placed.number))[1] AS attachment_id,
    (array_agg(placed.dialogue_id::text ORDER BY placed.number))[1] AS dialogue_id,
    (array_agg(placed.place ORDER BY placed.number))[1] AS place,
    (array_agg(placed.file_name ORDER BY placed.number) FILTER (WHERE placed.file_name <> ''))[1] AS file_name,
    array_agg(DISTINCT placed.message_id)::text [] AS message_ids
FROM placed
GROUP BY placed.text_hash
ORDER BY min(placed.number);
