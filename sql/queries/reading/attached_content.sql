-- A content, by the name that the first message gives it.
SELECT
    file.message_id::text AS message_id,
    file.file_id,
    file.file_name,
    content.sha256,
    content.size_bytes,
    content.media_type
FROM raw.attachment_contents AS content
INNER JOIN raw.attached_files AS file
    ON content.sha256 = file.sha256
WHERE content.sha256 = %(sha256)s
ORDER BY
    file.file_name NULLS LAST,
    file.message_id
LIMIT 1;
