-- The live messages of a dialogue with the asked context.
SELECT context.message_id::text AS message_id
FROM derived.message_contexts AS context
INNER JOIN raw.messages AS message
    ON
        context.message_id = message.id
        AND context.dialogue_id = message.dialogue_id
WHERE
    context.context_hash = %(hash)s
    AND context.dialogue_id = %(dialogue_id)s::uuid
    AND message.deleted_at IS NULL
ORDER BY context.message_id;
