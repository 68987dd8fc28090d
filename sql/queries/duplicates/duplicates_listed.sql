-- The clusters with most copies by content, each with the dialogue of its kept member and the beginning of its text:
-- of a dialogue, of its first request.
WITH listed AS (
    SELECT cluster.*
    FROM derived.duplicate_clusters_v AS cluster
    WHERE
        cluster.entity_type = ANY(%(entity_types)s)
        AND CASE WHEN %(method)s::text IS NULL THEN cluster.is_widest ELSE cluster.method = %(method)s END
        AND cluster.lowest_similarity >= %(min_similarity)s
        AND cluster.content_copies > 0
    ORDER BY cluster.content_copies DESC, cluster.text_length DESC, cluster.cluster_id ASC
    LIMIT %(number)s
)

SELECT
    listed.cluster_id::text AS cluster_id,
    listed.entity_type,
    listed.method,
    listed.cluster_size,
    listed.content_copies,
    listed.prefix_copies,
    listed.dialogue_count,
    listed.lowest_similarity,
    listed.text_length,
    listed.kept_entity_id::text AS kept_entity_id,
    listed.keep_reason,
    dialogue.partition_key,
    dialogue.title,
    left(coalesce(content.full_text, message.text, request.text), 400) AS beginning
FROM listed
INNER JOIN raw.dialogues AS dialogue
    ON listed.kept_dialogue_id = dialogue.id
LEFT JOIN derived.exchange_content AS content
    ON listed.kept_entity_id = content.exchange_id
LEFT JOIN
    (
        SELECT
            part.message_id,
            string_agg(part.text_content, E'\n\n' ORDER BY part.sequence) AS text
        FROM raw.content_parts AS part
        WHERE
            part.part_type = 'text'
            AND part.text_content <> ''
            AND part.message_id IN (SELECT listed.kept_entity_id FROM listed)
        GROUP BY part.message_id
    ) AS message
    ON listed.kept_entity_id = message.message_id
LEFT JOIN
    LATERAL
    (
        SELECT part.text_content AS text
        FROM raw.messages AS asked
        INNER JOIN raw.content_parts AS part
            ON asked.dialogue_id = part.dialogue_id AND asked.id = part.message_id
        WHERE
            listed.entity_type = 'dialogue'
            AND asked.dialogue_id = listed.kept_entity_id
            AND asked.role = 'user'
            AND asked.deleted_at IS NULL
            AND NOT asked.is_hidden
            AND part.part_type = 'text'
            AND CASE
                WHEN btrim(left(part.text_content, 1000), E' \t\n\r\f\x0b') <> '' THEN TRUE
                ELSE btrim(part.text_content, E' \t\n\r\f\x0b') <> ''
            END
        ORDER BY asked.sequence_number, part.sequence
        LIMIT 1
    ) AS request
    ON TRUE
ORDER BY listed.content_copies DESC, listed.text_length DESC, listed.cluster_id ASC;
