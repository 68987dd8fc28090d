-- Live messages of some dialogues with their visible text, in the order of derived computations:
-- unknown times first, then time, then sequence number.
SELECT
    message.id::text AS message_id,
    message.dialogue_id::text AS dialogue_id,
    message.parent_id::text AS parent_id,
    message.role,
    message.sequence_number,
    message.created_at,
    message.state = 'complete' AS is_complete,
    message.is_hidden,
    CASE WHEN NOT message.is_hidden THEN part.text END AS text,
    coalesce(part.other_count > 0 OR (message.is_hidden AND part.text IS NOT NULL), FALSE)
    OR EXISTS (SELECT 1 FROM raw.attachments AS attachment WHERE attachment.message_id = message.id) AS has_other_content
FROM raw.messages AS message
LEFT JOIN (
    SELECT
        content_part.message_id,
        string_agg(content_part.text_content, E'\n\n' ORDER BY content_part.sequence)
        FILTER (WHERE content_part.part_type = 'text') AS text,
        count(*) FILTER (WHERE content_part.part_type <> 'text') AS other_count
    FROM raw.content_parts AS content_part
    WHERE content_part.dialogue_id = ANY('{dialogue_ids}'::uuid [])
    GROUP BY content_part.message_id
) AS part
    ON message.id = part.message_id
WHERE
    message.dialogue_id = ANY('{dialogue_ids}'::uuid [])
    AND message.deleted_at IS NULL
ORDER BY
    message.dialogue_id,
    message.created_at NULLS FIRST,
    message.sequence_number;
