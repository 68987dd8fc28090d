-- How many different texts of chunks have no vector of a generation; of none (NULL), all of them.
SELECT count(DISTINCT chunk.content_hash) AS texts
FROM derived.all_chunks AS chunk
WHERE
    NOT chunk.is_near_duplicate
    AND NOT EXISTS (
        SELECT
        FROM derived.chunk_embeddings AS embedding
        WHERE
            embedding.generation_id = %(generation_id)s
            AND embedding.content_hash = chunk.content_hash
    );
