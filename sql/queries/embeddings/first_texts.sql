-- The first different texts of chunks in the order of their hashes, which is as good as by chance.
SELECT DISTINCT ON (wanted.content_hash) wanted.text
FROM (
    (
        SELECT DISTINCT ON (chunk.content_hash)
            chunk.content_hash,
            left(chunk.text, %(characters)s) AS text
        FROM derived.qa_chunks AS chunk
        WHERE NOT chunk.is_near_duplicate
        ORDER BY chunk.content_hash
        LIMIT %(number)s
    )
    UNION ALL
    (
        SELECT DISTINCT ON (chunk.content_hash)
            chunk.content_hash,
            left(chunk.text, %(characters)s) AS text
        FROM derived.document_chunks AS chunk
        ORDER BY chunk.content_hash
        LIMIT %(number)s
    )
) AS wanted
ORDER BY wanted.content_hash
LIMIT %(number)s;
