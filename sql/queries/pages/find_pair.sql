-- A question-answer pair, the document that it is from, and the page that search finds it on.
SELECT
    document.doc_id::text AS doc_id,
    document.filename,
    document.source,
    document.created_at,
    (
        SELECT max(page.page)
        FROM derived.dialogue_pages AS page
        WHERE page.dialogue_id = pair.dialogue_id
    ) AS page_count,
    place.page,
    place.is_on_primary_path,
    pair.pair_type = 'trace_pair' AS is_trace,
    pair.question,
    pair.answer,
    pair.is_error
FROM derived.qa_pairs AS pair
INNER JOIN derived.all_documents AS document
    ON pair.dialogue_id = document.doc_id
CROSS JOIN
    LATERAL (
        SELECT
            page.page,
            page.is_on_primary_path
        FROM derived.qa_chunks AS chunk
        INNER JOIN derived.dialogue_pages AS page
            ON chunk.dialogue_id = page.dialogue_id AND chunk.page = page.page
        WHERE
            chunk.pair_id = pair.pair_id
            AND chunk.dialogue_id = pair.dialogue_id
        ORDER BY page.page
        LIMIT 1
    ) AS place
WHERE pair.pair_id = %(name)s;
