-- Messages of those of some dialogues that are linked, with what they are known by in their source. Ids that are no
-- UUIDs may be equal by chance.
SELECT
    message.id::text AS message_id,
    dialogue.source,
    message.source_id
FROM raw.messages AS message
INNER JOIN raw.dialogues AS dialogue ON message.dialogue_id = dialogue.id
WHERE
    message.dialogue_id IN (
        SELECT link.dialogue_id
        FROM raw.dialogue_links AS link
        WHERE link.dialogue_id = ANY(%(ids)s::uuid []) AND link.shared_messages > 0
        UNION ALL
        SELECT link.original_id
        FROM raw.dialogue_links AS link
        WHERE link.original_id = ANY(%(ids)s::uuid []) AND link.shared_messages > 0
    )
    AND message.deleted_at IS NULL
    AND length(message.source_id) = 36
    AND message.source_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
