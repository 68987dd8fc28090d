-- The texts of some pages of a dialogue or document, in order.
SELECT
    page.page,
    dialogue_page.is_on_primary_path,
    content.user_text,
    content.assistant_text,
    page.markdown
FROM derived.all_pages AS page
LEFT JOIN derived.dialogue_pages AS dialogue_page
    ON
        page.exchange_id = dialogue_page.exchange_id
        AND page.doc_id = dialogue_page.dialogue_id
LEFT JOIN derived.exchange_content AS content
    ON
        page.exchange_id = content.exchange_id
        AND page.doc_id = content.dialogue_id
WHERE
    page.doc_id = %(doc_id)s::uuid
    AND page.page BETWEEN %(first_page)s AND %(last_page)s
ORDER BY page.page;
