-- The messages that a document came with, and their dialogues.
SELECT
    message.id::text AS message_id,
    dialogue.partition_key,
    dialogue.title,
    (
        SELECT prompt.first_prompt
        FROM derived.first_prompts AS prompt
        WHERE prompt.dialogue_id = dialogue.id
    ) AS first_prompt
FROM raw.document_attachments AS link
INNER JOIN raw.messages AS message
    ON
        link.message_id = message.id
        AND link.dialogue_id = message.dialogue_id
INNER JOIN raw.dialogues AS dialogue
    ON message.dialogue_id = dialogue.id
WHERE
    link.document_id = %(id)s::uuid
    AND message.deleted_at IS NULL
ORDER BY
    dialogue.source_created_at NULLS LAST,
    dialogue.id,
    message.sequence_number
LIMIT %(count)s;
