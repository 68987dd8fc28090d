-- Vectors of a generation that are stored for Chroma, after a given hash.
SELECT
    embedding.content_hash,
    embedding.vector
FROM derived.chunk_embeddings AS embedding
WHERE
    embedding.generation_id = %(generation_id)s
    AND embedding.content_hash > %(after)s
    AND embedding.vector IS NOT NULL
ORDER BY embedding.content_hash
LIMIT %(number)s;
