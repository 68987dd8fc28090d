-- Keeps documents from being read again, removed or chunked by others until the transaction ends; those that are gone
-- have no row. Messages may be linked with them meanwhile.
SELECT
    document.id::text AS document_id,
    document.read_at
FROM raw.documents AS document
WHERE document.id = ANY(%(ids)s::uuid [])
ORDER BY document.id
FOR NO KEY UPDATE;
