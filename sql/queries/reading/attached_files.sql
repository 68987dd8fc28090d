-- The files that some messages point to, each once a message, kept or missing.
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
WHERE file.message_id = ANY(%(message_ids)s::uuid [])
ORDER BY
    file.message_id,
    coalesce(file.sha256, file.file_id),
    file.file_name NULLS LAST,
    file.pointer;
