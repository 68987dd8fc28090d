-- Ranges of hashes that have a given number of different texts without a vector each, the last one fewer: the last hash
-- of each, and how many. Ranges follow each other.
SELECT
    max(numbered.content_hash) AS until,
    count(*) AS texts
FROM (
    SELECT
        wanted.content_hash,
        (row_number() OVER (ORDER BY wanted.content_hash) - 1) / %(number)s AS range_number
    FROM (
        SELECT DISTINCT chunk.content_hash
        FROM derived.all_chunks AS chunk
        WHERE
            NOT chunk.is_near_duplicate
            AND NOT EXISTS (
                SELECT
                FROM derived.chunk_embeddings AS embedding
                WHERE
                    embedding.generation_id = %(generation_id)s
                    AND embedding.content_hash = chunk.content_hash
            )
    ) AS wanted
) AS numbered
GROUP BY numbered.range_number
ORDER BY until;
