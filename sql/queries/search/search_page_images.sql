-- What is shown of some pages of documents.
SELECT
    NULL::text AS chunk_id,
    page.document_id::text AS doc_id,
    page.page,
    NULL::text AS side,
    NULL::text AS role,
    page.markdown AS text,
    NULL::text AS content_hash,
    NULL::text AS pair_id,
    NULL::text AS part_id,
    NULL::text AS pair_type,
    NULL::text AS workspace_id,
    NULL::text AS session_id,
    NULL::boolean AS is_on_primary_path,
    NULL::text AS question_message_id,
    NULL::text AS answer_message_id,
    NULL::text AS message_id,
    NULL::text AS model,
    document.added_at AS happened_at,
    'document' AS source,
    NULL::text AS partition_key,
    document.file_name AS filename,
    document.extension,
    NULL::timestamptz AS created_at,
    document.added_at,
    page.section_path,
    page.parent_heading,
    page.image_path,
    page.thumb_path
FROM unnest(%(doc_ids)s::uuid [], %(pages)s::int []) AS asked (document_id, page)
INNER JOIN raw.document_pages AS page
    ON asked.document_id = page.document_id AND asked.page = page.page
INNER JOIN raw.documents AS document
    ON page.document_id = document.id;
