-- The pages that the filters let through, the newest first.
SELECT
    chunk.doc_id::text AS doc_id,
    chunk.page
FROM derived.searchable_chunks AS chunk
WHERE {conditions}
GROUP BY chunk.doc_id, chunk.page
ORDER BY max(chunk.happened_at) DESC, chunk.doc_id ASC, chunk.page DESC
LIMIT %(most)s;
