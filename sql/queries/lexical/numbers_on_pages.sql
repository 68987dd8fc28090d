-- The chunks of some pages; those that are near-duplicates are not in the index.
SELECT
    chunk.doc_id::text AS doc_id,
    chunk.page,
    chunk.chunk_number,
    chunk.is_near_duplicate
FROM unnest(%(doc_ids)s::uuid [], %(pages)s::int []) AS asked (doc_id, page)
INNER JOIN derived.all_chunks AS chunk
    ON
        asked.doc_id = chunk.doc_id
        AND asked.page = chunk.page;
