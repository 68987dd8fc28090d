-- The files that the messages of some dialogues, or some messages, point to, each once a message, kept or missing; the
-- planner reduces the CASE to a column.
SELECT DISTINCT ON (file.message_id, coalesce(file.sha256, file.file_id))
    file.message_id::text AS message_id,
    file.file_id,
    file.file_name,
    file.sha256,
    content.size_bytes,
    content.media_type
FROM raw.attached_files AS file
LEFT JOIN raw.attachment_contents AS content
    ON file.sha256 = content.sha256
WHERE
    CASE WHEN %(scope)s::text = 'dialogues' THEN file.dialogue_id ELSE file.message_id END -- noqa: RF02
    = ANY(%(ids)s::uuid [])
ORDER BY
    file.message_id,
    coalesce(file.sha256, file.file_id),
    file.file_name NULLS LAST,
    file.pointer;
