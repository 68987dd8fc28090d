-- Documents that were read and whose chunks are missing or were made from another reading or by another version.
SELECT document.id::text AS document_id
FROM raw.documents AS document
LEFT JOIN derived.document_builds AS state
    ON document.id = state.document_id
WHERE
    document.status = 'done'
    AND (state.read_at, state.code_version) IS DISTINCT FROM (document.read_at, %(code_version)s::text)
ORDER BY document.id;
