-- Which of the asked contexts the archive has in a live message.
SELECT asked.context_hash
FROM unnest(%(context_hashes)s::text []) AS asked (context_hash)
WHERE
    EXISTS (
        SELECT 1
        FROM derived.message_contexts AS context
        INNER JOIN raw.messages AS message
            ON
                context.message_id = message.id
                AND context.dialogue_id = message.dialogue_id
        WHERE
            context.context_hash = asked.context_hash
            AND message.deleted_at IS NULL
            AND (%(dialogue_id)s::uuid IS NULL OR context.dialogue_id = %(dialogue_id)s::uuid)
    );
