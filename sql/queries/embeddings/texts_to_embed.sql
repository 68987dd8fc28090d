-- Different texts of chunks without a vector of a generation, after a given hash. What siblings, or versions of
-- an artifact, say too is left out.
-- Each table is asked for the next ones in the order of its index: what comes later is not looked at.
SELECT DISTINCT ON (wanted.content_hash)
    wanted.content_hash,
    wanted.text
FROM (
    (
        SELECT DISTINCT ON (chunk.content_hash)
            chunk.content_hash,
            chunk.text
        FROM derived.qa_chunks AS chunk
        WHERE
            chunk.content_hash > %(after)s
            AND NOT chunk.is_near_duplicate
            AND NOT EXISTS (
                SELECT
                FROM derived.chunk_embeddings AS embedding
                WHERE
                    embedding.generation_id = %(generation_id)s
                    AND embedding.content_hash = chunk.content_hash
            )
        ORDER BY chunk.content_hash
        LIMIT %(number)s
    )
    UNION ALL
    (
        SELECT DISTINCT ON (chunk.content_hash)
            chunk.content_hash,
            chunk.text
        FROM derived.message_chunks AS chunk
        WHERE
            chunk.content_hash > %(after)s
            AND NOT chunk.is_near_duplicate
            AND NOT EXISTS (
                SELECT
                FROM derived.chunk_embeddings AS embedding
                WHERE
                    embedding.generation_id = %(generation_id)s
                    AND embedding.content_hash = chunk.content_hash
            )
        ORDER BY chunk.content_hash
        LIMIT %(number)s
    )
    UNION ALL
    (
        SELECT DISTINCT ON (chunk.content_hash)
            chunk.content_hash,
            chunk.text
        FROM derived.document_chunks AS chunk
        WHERE
            chunk.content_hash > %(after)s
            AND NOT EXISTS (
                SELECT
                FROM derived.chunk_embeddings AS embedding
                WHERE
                    embedding.generation_id = %(generation_id)s
                    AND embedding.content_hash = chunk.content_hash
            )
        ORDER BY chunk.content_hash
        LIMIT %(number)s
    )
) AS wanted
ORDER BY wanted.content_hash
LIMIT %(number)s;
