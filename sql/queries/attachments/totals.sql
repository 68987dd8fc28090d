-- How many attached files there are, kept and missing, and what the kept ones take.
SELECT
    (SELECT count(*) FROM raw.attachment_contents) AS kept,
    (SELECT coalesce(sum(content.size_bytes), 0) FROM raw.attachment_contents AS content)::bigint AS kept_bytes,
    (SELECT count(DISTINCT file.file_id) FROM raw.attached_files AS file WHERE file.sha256 IS NULL) AS missing;
