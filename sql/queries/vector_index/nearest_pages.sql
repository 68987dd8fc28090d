-- The pages nearest to a vector, by the mean of the vectors of their chunks, among those with one of the nearest texts.
-- A mean is near where one of its vectors is, so only these pages are averaged, not all for each question.
WITH nearest AS MATERIALIZED (
    SELECT embedding.content_hash
    FROM derived.chunk_embeddings AS embedding
    WHERE embedding.generation_id = %(generation_id)s
    ORDER BY embedding.half_vector <=> %(vector)s::halfvec
    LIMIT %(texts)s
),

candidate AS MATERIALIZED (
    SELECT DISTINCT
        chunk.doc_id,
        chunk.page
    FROM nearest
    INNER JOIN derived.all_chunks AS chunk
        ON nearest.content_hash = chunk.content_hash
),

mean AS (
    SELECT
        chunk.doc_id,
        chunk.page,
        avg(embedding.half_vector) <=> %(vector)s::halfvec AS distance
    FROM candidate
    INNER JOIN derived.all_chunks AS chunk
        ON candidate.doc_id = chunk.doc_id AND candidate.page = chunk.page
    INNER JOIN derived.chunk_embeddings AS embedding
        ON chunk.content_hash = embedding.content_hash AND embedding.generation_id = %(generation_id)s
    GROUP BY chunk.doc_id, chunk.page
)

SELECT
    doc_id::text || ':' || page AS entry_id,
    1 - distance AS score
FROM mean
WHERE distance <> 'NaN'
ORDER BY distance, doc_id, page
LIMIT %(most)s;
