-- The content parts of some dialogues, or of some messages; the planner reduces the first CASE to a column, and the
-- others too where texts are whole (limit 0).
SELECT
    part.message_id::text AS message_id,
    part.sequence,
    part.part_type AS kind,
    CASE
        WHEN '{limit}'::integer = 0 THEN part.text_content
        ELSE left(part.text_content, '{limit}'::integer)
    END AS text,
    part.tool_name,
    part.tool_use_id,
    CASE
        WHEN '{limit}'::integer = 0 THEN part.tool_input::text
        ELSE left(part.tool_input::text, '{limit}'::integer)
    END AS tool_input,
    part.is_error,
    part.language,
    part.mime_type,
    part.uri,
    part.source_type,
    CASE
        WHEN '{limit}'::integer = 0 THEN 0
        ELSE
            greatest(length(coalesce(nullif(part.text_content, ''), part.tool_input::text, '')) - '{limit}'::integer, 0)
    END AS left_out
FROM raw.content_parts AS part
WHERE CASE WHEN '{scope}' = 'dialogues' THEN part.dialogue_id ELSE part.message_id END = ANY('{ids}'::uuid []);
