-- Different texts of chunks in a range of hashes without a vector of a generation. What siblings say too is left out.
SELECT DISTINCT ON (chunk.content_hash)
    chunk.content_hash,
    chunk.text
FROM derived.all_chunks AS chunk
WHERE
    chunk.content_hash > %(after)s
    AND chunk.content_hash <= %(until)s
    AND NOT chunk.is_near_duplicate
    AND NOT EXISTS (
        SELECT
        FROM derived.chunk_embeddings AS embedding
        WHERE
            embedding.generation_id = %(generation_id)s
            AND embedding.content_hash = chunk.content_hash
    )
ORDER BY chunk.content_hash;
