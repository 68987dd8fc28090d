-- The pages of dialogues, which are exchanges, and of documents.
CREATE OR REPLACE VIEW derived.all_pages AS
SELECT
    page.dialogue_id AS doc_id,
    page.page,
    page.exchange_id,
    NULL::text AS markdown,
    NULL::text AS section_path,
    NULL::text AS parent_heading,
    NULL::integer AS num_headings,
    NULL::integer AS num_tables,
    NULL::integer AS num_pictures,
    NULL::text AS image_path,
    NULL::text AS thumb_path
FROM derived.dialogue_pages AS page
UNION ALL
SELECT
    page.document_id AS doc_id,
    page.page,
    NULL::uuid AS exchange_id,
    page.markdown,
    page.section_path,
    page.parent_heading,
    page.num_headings,
    page.num_tables,
    page.num_pictures,
    page.image_path,
    page.thumb_path
FROM raw.document_pages AS page;
