-- The first different texts of chunks in the order of their hashes, which is as good as by chance.
SELECT DISTINCT ON (chunk.content_hash) left(chunk.text, %(characters)s) AS text
FROM derived.all_chunks AS chunk
WHERE NOT chunk.is_near_duplicate
ORDER BY chunk.content_hash
LIMIT %(number)s;
