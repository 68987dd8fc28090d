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

content AS (
    SELECT
        message.id AS message_id,
        string_agg(part.text_content, E'\n\n' ORDER BY part.sequence) AS message_text
    FROM hashed
    INNER JOIN raw.messages AS message
        ON hashed.entity_id = message.id
    INNER JOIN raw.content_parts AS part
        ON message.id = part.message_id
    WHERE
        message.deleted_at IS NULL
        AND NOT message.is_hidden
        AND part.part_type = 'text'
    GROUP BY message.id
)

SELECT
    hashed.dialogue_id::text AS dialogue_id,
    hashed.entity_id::text AS entity_id,
    'stored hash is not that of the text' AS problem
FROM hashed
LEFT JOIN content
    ON hashed.entity_id = content.message_id
WHERE
    content.message_text IS NULL
    OR hashed.hash_sha256 IS DISTINCT FROM encode(sha256(convert_to(content.message_text, 'UTF8')), 'hex');
