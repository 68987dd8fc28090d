-- What can be read page by page: a dialogue by its partition key or id, or a document by its id.
SELECT
    document.doc_id::text AS doc_id,
    document.filename,
    document.source,
    document.extension,
    CASE document.source WHEN 'document' THEN document.added_at ELSE document.created_at END AS created_at,
    (
        SELECT max(page.page)
        FROM derived.all_pages AS page
        WHERE page.doc_id = document.doc_id
    ) AS page_count
FROM derived.all_documents AS document
WHERE
    document.doc_id = coalesce(
        (
            SELECT dialogue.id
            FROM raw.dialogues AS dialogue
            WHERE dialogue.partition_key = %(name)s
        ),
        %(id)s::uuid
    );
