-- The texts of some pages, and what a citation shows of them.
SELECT
    asked.doc_id AS asked_id,
    page.page,
    content.user_text,
    content.assistant_text,
    page.markdown,
    document.filename,
    document.extension,
    document.added_at,
    document.created_at,
    coalesce(page.section_path, document.heading) AS section_path,
    coalesce(page.parent_heading, document.heading) AS parent_heading,
    page.image_path,
    page.thumb_path
FROM unnest(%(doc_ids)s::text [], %(pages)s::int []) AS asked (doc_id, page)
INNER JOIN derived.all_pages AS page
    ON
        page.doc_id = asked.doc_id::uuid
        AND asked.page = page.page
INNER JOIN derived.all_documents AS document
    ON page.doc_id = document.doc_id
LEFT JOIN derived.exchange_content AS content
    ON
        page.exchange_id = content.exchange_id
        AND page.doc_id = content.dialogue_id
WHERE page.exchange_id IS NULL OR content.exchange_id IS NOT NULL;
