-- Vectors of a generation that are stored for PostgreSQL, as `halfvec_send` gives them, after a given hash.
SELECT
    embedding.content_hash,
    halfvec_send(embedding.half_vector) AS vector
FROM derived.chunk_embeddings AS embedding
WHERE
    embedding.generation_id = %(generation_id)s
    AND embedding.content_hash > %(after)s
    AND embedding.half_vector IS NOT NULL
ORDER BY embedding.content_hash
LIMIT %(number)s;
