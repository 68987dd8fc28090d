-- The chunks of some pages that can be found, in the order in which one would show them.
SELECT chunk.chunk_id::text AS chunk_id
FROM unnest(%(doc_ids)s::uuid [], %(pages)s::int []) AS asked (doc_id, page)
INNER JOIN derived.all_chunks AS chunk
    ON
        asked.doc_id = chunk.doc_id
        AND asked.page = chunk.page
LEFT JOIN derived.qa_pairs AS pair
    ON
        chunk.pair_id = pair.pair_id
        AND chunk.doc_id = pair.dialogue_id
WHERE NOT chunk.is_near_duplicate
ORDER BY
    chunk.doc_id ASC,
    chunk.page ASC,
    pair.pair_type ASC,
    chunk.side ASC,
    chunk.start_offset ASC,
    chunk.chunk_id ASC;
