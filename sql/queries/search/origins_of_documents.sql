-- The first messages, of different dialogues, that some documents came with.
SELECT
    origin.document_id,
    origin.message_id,
    origin.partition_key,
    origin.title,
    (
        SELECT prompt.first_prompt
        FROM derived.first_prompts AS prompt
        WHERE prompt.dialogue_id = origin.dialogue_id
    ) AS first_prompt
FROM (
    SELECT
        of_dialogue.*,
        row_number() OVER (
            PARTITION BY of_dialogue.document_id ORDER BY of_dialogue.began_at NULLS LAST, of_dialogue.partition_key
        ) AS place
    FROM (
        SELECT DISTINCT ON (link.document_id, dialogue.id)
            link.document_id::text AS document_id,
            message.id::text AS message_id,
            dialogue.id AS dialogue_id,
            dialogue.partition_key,
            dialogue.title,
            dialogue.source_created_at AS began_at
        FROM raw.document_attachments AS link
        INNER JOIN raw.messages AS message
            ON
                link.message_id = message.id
                AND link.dialogue_id = message.dialogue_id
        INNER JOIN raw.dialogues AS dialogue
            ON message.dialogue_id = dialogue.id
        WHERE
            link.document_id = ANY(%(doc_ids)s::uuid [])
            AND message.deleted_at IS NULL
        ORDER BY link.document_id, dialogue.id, message.sequence_number
    ) AS of_dialogue
) AS origin
WHERE origin.place <= %(count)s
ORDER BY origin.document_id, origin.place;
