-- The chunks nearest to a vector, by comparing it with all. Equal texts have one vector, and places of their own.
-- The zero of a text without tokens is near to nothing.
WITH nearest AS (
    SELECT
        embedding.content_hash,
        embedding.half_vector <=> %(vector)s::halfvec AS distance
    FROM derived.chunk_embeddings AS embedding
    WHERE embedding.generation_id = %(generation_id)s
    ORDER BY embedding.half_vector <=> %(vector)s::halfvec, embedding.content_hash
    LIMIT %(most)s
)

SELECT
    chunk.chunk_id::text AS chunk_id,
    1 - nearest.distance AS score
FROM nearest
INNER JOIN derived.all_chunks AS chunk
    ON nearest.content_hash = chunk.content_hash
WHERE
    NOT chunk.is_near_duplicate
    AND nearest.distance <> 'NaN'
ORDER BY nearest.distance, chunk.chunk_id
LIMIT %(most)s;
