-- The dialogues of one source beside those that an export has. Those stay of which it cannot say that they are gone:
-- with messages that a program stored, or with an id that was made of their beginning, which others may have, too.
SELECT
    dialogue.id::text AS dialogue_id,
    dialogue.partition_key,
    dialogue.source_id LIKE %(made)s
    OR EXISTS (
        SELECT FROM raw.messages AS message
        WHERE
            message.dialogue_id = dialogue.id
            AND message.origin = %(api)s -- noqa: RF02
            AND message.deleted_at IS NULL
    ) AS stays
FROM raw.dialogues AS dialogue
WHERE dialogue.source = %(source)s AND NOT dialogue.id = ANY(%(present)s::uuid [])
ORDER BY dialogue.id;
