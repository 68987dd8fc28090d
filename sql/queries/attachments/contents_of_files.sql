-- Which of some file ids messages point to, and what is kept of each: NULL while it is missing.
SELECT
    file.file_id,
    content.sha256,
    content.size_bytes
FROM raw.attached_files AS file
LEFT JOIN raw.attachment_contents AS content
    ON file.sha256 = content.sha256
WHERE file.file_id = ANY(%(file_ids)s::text [])
GROUP BY file.file_id, content.sha256, content.size_bytes
ORDER BY file.file_id;
