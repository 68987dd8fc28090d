-- Messages whose text does not have the hash that was stored, among 1,000 of the dialogues.
WITH hashed AS (
    SELECT
        stored_hash.dialogue_id,
        stored_hash.entity_id,
        stored_hash.hash_sha256
    FROM checked
    INNER JOIN derived.content_hashes AS stored_hash
        ON checked.dialogue_id = stored_hash.dialogue_id
    WHERE
        stored_hash.entity_type = 'message'
        AND stored_hash.hash_scope = 'full'
        AND stored_hash.normalization = 'none'
    ORDER BY stored_hash.entity_id
    LIMIT 1000
),

-- One look-up per message. Joined in one go, the planner may compute all texts once per message instead: it takes the
-- 1,000 for one.
recomputed AS (
    SELECT
        hashed.dialogue_id,
        hashed.entity_id,
        hashed.hash_sha256,
        (
            SELECT string_agg(part.text_content, E'\n\n' ORDER BY part.sequence)
            FROM raw.messages AS message
            INNER JOIN raw.content_parts AS part
                ON
                    message.id = part.message_id
                    AND message.dialogue_id = part.dialogue_id
            WHERE
                message.id = hashed.entity_id
                AND message.dialogue_id = hashed.dialogue_id
                AND message.deleted_at IS NULL
                AND NOT message.is_hidden
                AND part.part_type = 'text'
                AND part.text_content <> ''
        ) AS message_text
    FROM hashed
)

SELECT
    recomputed.dialogue_id::text AS dialogue_id,
    recomputed.entity_id::text AS entity_id,
    'stored hash is not that of the text' AS problem
FROM recomputed
WHERE
    recomputed.message_text IS NULL
    OR recomputed.hash_sha256 IS DISTINCT FROM encode(sha256(convert_to(recomputed.message_text, 'UTF8')), 'hex');
