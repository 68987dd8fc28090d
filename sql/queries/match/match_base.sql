-- The message that a new branch hangs on: of several with the same context, that of the dialogue that came first.
SELECT
    context.message_id::text AS message_id,
    message.source_id AS message_source_id,
    dialogue.id::text AS dialogue_id,
    dialogue.source,
    dialogue.source_id,
    dialogue.partition_key
FROM derived.message_contexts AS context
INNER JOIN raw.messages AS message
    ON
        context.message_id = message.id
        AND context.dialogue_id = message.dialogue_id
INNER JOIN raw.dialogues AS dialogue
    ON context.dialogue_id = dialogue.id
WHERE
    context.context_hash = %(hash)s
    AND message.deleted_at IS NULL
    AND (%(dialogue_id)s::uuid IS NULL OR context.dialogue_id = %(dialogue_id)s::uuid)
ORDER BY
    dialogue.imported_at,
    dialogue.id,
    message.sequence_number
LIMIT 1;
