-- How many bytes of text some dialogues have; PostgreSQL knows the length of a text without reading it.
SELECT
    part.dialogue_id::text AS dialogue_id,
    sum(coalesce(octet_length(part.text_content), 0) + coalesce(octet_length(part.tool_input::text), 0))::bigint
        AS text_bytes
FROM raw.content_parts AS part
WHERE part.dialogue_id = ANY(%(dialogue_ids)s::uuid [])
GROUP BY part.dialogue_id;
