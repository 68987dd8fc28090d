-- How the texts of some messages of a dialogue begin, on one line; none of those that are hidden or have no text.
SELECT
    message.id::text AS message_id,
    (
        SELECT left(btrim(regexp_replace(left(part.text_content, 1000), '\s+', ' ', 'g')), 80)
        FROM raw.content_parts AS part
        WHERE
            part.dialogue_id = message.dialogue_id
            AND part.message_id = message.id
            AND part.part_type = 'text'
            AND btrim(left(part.text_content, 1000), E' \t\n\r\f\x0b') <> ''
        ORDER BY part.sequence
        LIMIT 1
    ) AS beginning
FROM raw.messages AS message
WHERE
    message.dialogue_id = %(dialogue_id)s::uuid
    AND message.id = ANY(%(message_ids)s::uuid [])
    AND NOT message.is_hidden;
