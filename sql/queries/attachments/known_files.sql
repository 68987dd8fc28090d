-- Every file that messages point to, once, and what is kept of it: NULL while it is missing.
SELECT DISTINCT ON (file.file_id)
    file.file_id,
    content.sha256,
    content.size_bytes
FROM raw.attached_files AS file
LEFT JOIN raw.attachment_contents AS content
    ON file.sha256 = content.sha256
ORDER BY file.file_id, file.message_id, file.pointer;
