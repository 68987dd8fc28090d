-- What `nearest_chunks` finds, if the nearest texts are among some; with how many of these there are.
WITH nearest AS (
    SELECT
        embedding.content_hash,
        embedding.half_vector <=> %(vector)s::halfvec AS distance,
        count(*) OVER () AS text_count
    FROM derived.chunk_embeddings AS embedding
    WHERE
        embedding.generation_id = %(generation_id)s
        AND embedding.content_hash = ANY(%(content_hashes)s)
    ORDER BY embedding.half_vector <=> %(vector)s::halfvec, embedding.content_hash
    LIMIT %(most)s
)

SELECT
    chunk.chunk_id::text AS chunk_id,
    1 - nearest.distance AS score,
    nearest.text_count
FROM nearest
INNER JOIN derived.all_chunks AS chunk
    ON nearest.content_hash = chunk.content_hash
WHERE
    NOT chunk.is_near_duplicate
    AND nearest.distance <> 'NaN'
ORDER BY nearest.distance, chunk.chunk_id
LIMIT %(most)s;
