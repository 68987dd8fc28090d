-- An artifact or code by the id of its content part, the document that it is from, and the page that it is on.
SELECT
    document.doc_id::text AS doc_id,
    document.filename,
    document.source,
    document.created_at,
    (
        SELECT max(every_page.page)
        FROM derived.dialogue_pages AS every_page
        WHERE every_page.dialogue_id = chunk.dialogue_id
    ) AS page_count,
    page.page,
    page.is_on_primary_path,
    part.text_content AS text,
    coalesce(part.source_json ->> 'title', part.uri) AS title,
    part.part_type = 'code' AS is_code
FROM derived.message_chunks AS chunk
INNER JOIN raw.content_parts AS part
    ON
        chunk.part_id = part.id
        AND chunk.dialogue_id = part.dialogue_id
INNER JOIN derived.dialogue_pages AS page
    ON
        chunk.dialogue_id = page.dialogue_id
        AND chunk.page = page.page
INNER JOIN derived.all_documents AS document
    ON chunk.dialogue_id = document.doc_id
WHERE
    chunk.part_id = %(id)s::uuid
    AND chunk.chunk_index = 0
    AND part.text_content IS NOT NULL;
