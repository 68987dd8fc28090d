-- Messages whose text does not have the hash that was stored, among 1,000 of the dialogues.
WITH hashed AS (
    SELECT
        hash.dialogue_id,
        hash.entity_id,
        hash.hash_sha256
    FROM checked
    INNER JOIN derived.content_hashes AS hash
        ON checked.dialogue_id = hash.dialogue_id
    WHERE
        hash.entity_type = 'message'
        AND hash.hash_scope = 'full'
        AND hash.normalization = 'none'
    LIMIT 1000
)

SELECT
    hashed.dialogue_id::text AS dialogue_id,
    hashed.entity_id::text AS entity_id,
    'stored hash is not that of the text' AS problem
FROM hashed
LEFT JOIN (
    SELECT
        message.id AS message_id,
        string_agg(part.text_content, E'\n\n' ORDER BY part.sequence) AS text
    FROM hashed AS sampled
    INNER JOIN raw.messages AS message
        ON sampled.entity_id = message.id
    INNER JOIN raw.content_parts AS part
        ON message.id = part.message_id
    WHERE
        message.deleted_at IS NULL
        AND NOT message.is_hidden
        AND part.part_type = 'text'
    GROUP BY message.id
) AS content
    ON hashed.entity_id = content.message_id
WHERE
    content.text IS NULL
    OR hashed.hash_sha256 IS DISTINCT FROM encode(sha256(convert_to(content.text, 'UTF8')), 'hex');
