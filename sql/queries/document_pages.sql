-- The texts of all pages of some dialogues, in order.
SELECT
    page.dialogue_id::text AS dialogue_id,
    content.user_text,
    content.assistant_text
FROM derived.dialogue_pages AS page
INNER JOIN derived.exchange_content AS content
    ON page.exchange_id = content.exchange_id
WHERE page.dialogue_id = ANY(%(dialogue_ids)s::uuid [])
ORDER BY page.dialogue_id, page.page;
