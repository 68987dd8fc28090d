-- Every content, in the order of the hashes.
SELECT
    content.sha256,
    content.size_bytes
FROM raw.attachment_contents AS content
ORDER BY content.sha256;
