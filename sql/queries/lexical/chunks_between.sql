-- The first chunks after a number and up to another one, each with whether the index is to know it.
SELECT
    chunk.chunk_number,
    chunk.text,
    chunk.language::text AS language,
    NOT chunk.is_near_duplicate AS is_found
FROM derived.all_chunks AS chunk
WHERE
    chunk.chunk_number > %(number)s
    AND chunk.chunk_number <= %(last_number)s
ORDER BY chunk.chunk_number
LIMIT %(most)s;
