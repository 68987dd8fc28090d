-- Where exports had some contents.
SELECT DISTINCT file.found_at
FROM raw.attached_files AS file
WHERE file.sha256 = ANY(%(hashes)s::text [])
ORDER BY file.found_at;
