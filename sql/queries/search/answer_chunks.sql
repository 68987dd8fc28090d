-- The first chunks of the answers of some pairs, in order.
SELECT
    chunk.pair_id,
    chunk.text
FROM derived.qa_chunks AS chunk
WHERE
    chunk.pair_id = ANY(%(pair_ids)s)
    AND chunk.side = 'answer'
    AND NOT chunk.is_near_duplicate
    AND chunk.chunk_index < %(most)s
ORDER BY chunk.pair_id, chunk.chunk_index;
