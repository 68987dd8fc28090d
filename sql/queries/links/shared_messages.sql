-- Live messages of some dialogues that another of the source has too, which began no later: each with the dialogues
-- that began first, several if they began at one time.
WITH own AS MATERIALIZED (
    SELECT
        message.dialogue_id,
        message.id,
        message.parent_id,
        message.source_id,
        dialogue.source
    FROM raw.messages AS message
    INNER JOIN raw.dialogues AS dialogue ON message.dialogue_id = dialogue.id
    WHERE
        message.dialogue_id = ANY(%(ids)s::uuid [])
        AND message.deleted_at IS NULL
        AND length(message.source_id) = 36
        AND message.source_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
)

SELECT
    own.dialogue_id::text AS dialogue_id,
    own.id::text AS message_id,
    own.parent_id::text AS parent_id,
    holders.ids AS first_ids
FROM own
CROSS JOIN
    LATERAL (
        SELECT array_agg(held.id::text) AS ids
        FROM (
            SELECT dialogue.id
            FROM (
                SELECT message.dialogue_id
                FROM raw.messages AS message
                WHERE
                    message.source_id = own.source_id
                    AND length(message.source_id) = 36 -- what the index has
                    AND message.deleted_at IS NULL
                LIMIT ALL OFFSET 0 -- noqa: AM09
            ) AS same
            INNER JOIN raw.dialogues AS dialogue ON same.dialogue_id = dialogue.id
            WHERE dialogue.source = own.source
            ORDER BY dialogue.source_created_at ASC NULLS LAST
            FETCH FIRST 1 ROW WITH TIES
        ) AS held
    ) AS holders
WHERE holders.ids <> ARRAY[own.dialogue_id::text]
ORDER BY own.dialogue_id, own.id;
