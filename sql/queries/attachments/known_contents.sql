-- Those of some hashes whose content is kept.
SELECT content.sha256
FROM raw.attachment_contents AS content
WHERE content.sha256 = ANY(%(hashes)s::text []);
