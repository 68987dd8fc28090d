-- Documents, the latest first, with the number of messages each came with; all of them without a limit.
SELECT
    document.id::text AS id,
    document.file_name,
    document.extension,
    document.page_count,
    document.size_bytes,
    document.origin,
    document.status,
    document.error,
    document.source_path,
    document.sha256,
    document.added_at,
    (SELECT count(*) FROM raw.document_attachments AS link WHERE link.document_id = document.id) AS messages
FROM raw.documents AS document
WHERE NOT %(is_failed)s OR document.status = 'failed'
ORDER BY
    document.added_at DESC,
    document.id DESC
LIMIT %(limit)s;
