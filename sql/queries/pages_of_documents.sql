-- Documents that were read, page by page.
SELECT
    document.id::text AS document_id,
    document.file_name,
    document.extension,
    document.source_path,
    document.added_at,
    document.sha256,
    page.page,
    page.markdown,
    page.section_path,
    page.parent_heading,
    page.num_headings,
    page.num_tables,
    page.num_pictures,
    page.image_path,
    page.thumb_path
FROM raw.documents AS document
INNER JOIN raw.document_pages AS page
    ON document.id = page.document_id
WHERE document.status = 'done' AND document.id = ANY(%(document_ids)s::uuid [])
ORDER BY document.id, page.page;
