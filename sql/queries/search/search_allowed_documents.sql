-- Documents that the filters let through, by the columns of searchable_chunks; what belongs to dialogues is NULL.
SELECT searchable.document_id
FROM (
    SELECT
        document.id::text AS document_id,
        'document'::text AS source,
        NULL::text AS role,
        NULL::text AS model,
        document.added_at AS happened_at,
        document.added_at AS created_at,
        document.file_name AS title,
        document.file_name AS filename,
        document.extension,
        NULL::text AS partition_key,
        NULL::boolean AS is_on_primary_path,
        NULL::text AS pair_type,
        NULL::text AS workspace_id,
        NULL::text AS session_id,
        NULL::text AS side
    FROM raw.documents AS document
    WHERE document.status = 'done'
) AS searchable
WHERE {conditions};
