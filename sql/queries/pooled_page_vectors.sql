-- One vector per page that the model encoded.
SELECT
    known.document_id::text AS document_id,
    known.page,
    known.pooled
FROM derived.page_vectors AS known
WHERE known.model = %(model)s
ORDER BY known.document_id, known.page;
