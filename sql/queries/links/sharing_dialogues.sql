-- The dialogues whose links may change with some others: those others where they share messages, what shares messages
-- with them, what is linked with them, subagents among them, and subagents that they started. Messages that they have
-- lost count too: what shares them with others may choose another original. Ids that are no UUIDs may be equal by
-- chance. Messages are looked up one by one in the index of their ids (OFFSET 0): while a table grows, its statistics
-- are those of an empty one.
WITH own AS MATERIALIZED (
    SELECT
        message.dialogue_id,
        message.source_id
    FROM raw.messages AS message
    WHERE
        message.dialogue_id = ANY(%(ids)s::uuid [])
        AND length(message.source_id) = 36
        AND message.source_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
),

shared AS MATERIALIZED (
    SELECT DISTINCT
        own.dialogue_id,
        same.dialogue_id AS other_id
    FROM own
    CROSS JOIN
        LATERAL (
            SELECT message.dialogue_id
            FROM raw.messages AS message
            WHERE
                message.source_id = own.source_id
                AND length(message.source_id) = 36 -- what the index has
                AND message.deleted_at IS NULL
            LIMIT ALL OFFSET 0 -- noqa: AM09
        ) AS same
    WHERE own.dialogue_id <> same.dialogue_id
)

SELECT either.dialogue_id::text AS dialogue_id
FROM shared
INNER JOIN raw.dialogues AS dialogue ON shared.dialogue_id = dialogue.id
INNER JOIN raw.dialogues AS other ON shared.other_id = other.id AND dialogue.source = other.source
CROSS JOIN LATERAL unnest(ARRAY[shared.dialogue_id, shared.other_id]) AS either (dialogue_id)
UNION
SELECT link.dialogue_id::text
FROM raw.dialogue_links AS link
WHERE link.original_id = ANY(%(ids)s::uuid []) OR link.dialogue_id = ANY(%(ids)s::uuid [])
UNION
SELECT agent.id::text
FROM raw.dialogues AS agent
WHERE agent.id = ANY(%(ids)s::uuid []) AND agent.source_parent_id IS NOT NULL
UNION
SELECT agent.id::text
FROM raw.dialogues AS session
INNER JOIN raw.dialogues AS agent
    ON
        session.source = agent.source
        AND session.source_id = agent.source_parent_id
WHERE session.id = ANY(%(ids)s::uuid []);
