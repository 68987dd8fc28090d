-- Those of some pages that have any of some terms. Chinese, Japanese and Korean characters are indexed one by one.
SELECT
    asked.dialogue_id::text AS dialogue_id,
    asked.page
FROM unnest(%(dialogue_ids)s::uuid [], %(pages)s::int []) AS asked (dialogue_id, page)
WHERE
    EXISTS (
        SELECT
        FROM derived.searchable_chunks AS chunk
        INNER JOIN unnest(%(texts)s::text []) AS term (text)
            ON chunk.search_vector @@ phraseto_tsquery(
                'simple', regexp_replace(term.text, '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])', ' \1 ', 'g')
            )
        WHERE
            chunk.dialogue_id = asked.dialogue_id
            AND chunk.page = asked.page
    );
