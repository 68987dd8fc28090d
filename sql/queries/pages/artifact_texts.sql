-- Artifacts and code of live messages: the content parts among some that are chunks of their own.
SELECT
    part.id::text AS part_id,
    part.text_content AS text,
    coalesce(part.source_json ->> 'title', part.uri) AS title,
    part.part_type = 'code' AS is_code
FROM derived.message_chunks AS chunk
INNER JOIN raw.content_parts AS part
    ON
        chunk.part_id = part.id
        AND chunk.dialogue_id = part.dialogue_id
WHERE
    chunk.part_id = ANY(%(ids)s::uuid [])
    AND chunk.chunk_index = 0
    AND part.text_content IS NOT NULL;
