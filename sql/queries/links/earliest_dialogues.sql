-- Dialogues that share messages and began at one time, the earliest first, by pairs of them: the one that most of the
-- others contain, as they go on from it; then the one that was changed first. EXCEPT reads both of a pair once.
WITH pairs AS (
    SELECT
        pair.dialogue_id,
        pair.other_id
    FROM unnest(%(dialogue_ids)s::uuid [], %(other_ids)s::uuid []) AS pair (dialogue_id, other_id)
)

SELECT dialogue.id::text AS id
FROM pairs
INNER JOIN raw.dialogues AS dialogue ON pairs.dialogue_id = dialogue.id
CROSS JOIN
    LATERAL (
        SELECT
            NOT EXISTS (
                SELECT message.source_id
                FROM raw.messages AS message
                WHERE message.dialogue_id = pairs.dialogue_id AND message.deleted_at IS NULL
                EXCEPT
                SELECT same.source_id
                FROM raw.messages AS same
                WHERE same.dialogue_id = pairs.other_id AND same.deleted_at IS NULL
            ) AS is_contained
    ) AS found
GROUP BY dialogue.id
ORDER BY
    count(*) FILTER (WHERE found.is_contained) DESC,
    dialogue.source_updated_at ASC NULLS LAST,
    dialogue.source_id ASC;
