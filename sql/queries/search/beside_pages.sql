-- What results show beside the chunks that were found, in one statement: of dialogues that begin with a copy their
-- originals, of those without a title their first prompt, of runs of one task their cluster, of pages the cluster of
-- exchanges that say nearly the same, and how the answers of pairs begin, but for those that repeat another one.
SELECT
    'original' AS kind,
    link.dialogue_id::text AS name,
    NULL::integer AS page,
    link.original_id::text AS value
FROM raw.dialogue_links AS link
WHERE link.dialogue_id = ANY(%(dialogue_ids)s::uuid []) AND link.shared_messages > 0
UNION ALL
SELECT
    'first_prompt' AS kind,
    prompt.dialogue_id::text AS name,
    NULL::integer AS page,
    prompt.first_prompt AS value
FROM derived.first_prompts AS prompt
WHERE prompt.dialogue_id = ANY(%(dialogue_ids)s::uuid []) AND prompt.first_prompt IS NOT NULL
UNION ALL
SELECT
    'run' AS kind,
    run.dialogue_id::text AS name,
    NULL::integer AS page,
    run.cluster_id::text AS value
FROM derived.duplicate_clusters AS run
WHERE
    run.dialogue_id = ANY(%(dialogue_ids)s::uuid [])
    AND run.entity_type = 'dialogue'
UNION ALL
SELECT
    'cluster' AS kind,
    page.dialogue_id::text AS name,
    page.page,
    min(cluster.cluster_id::text) AS value
FROM unnest(%(doc_ids)s::uuid [], %(pages)s::integer []) AS wanted (doc_id, page)
INNER JOIN derived.dialogue_pages AS page
    ON
        wanted.doc_id = page.dialogue_id
        AND wanted.page = page.page
INNER JOIN derived.duplicate_clusters AS cluster
    ON
        page.dialogue_id = cluster.dialogue_id
        AND page.exchange_id = cluster.entity_id
WHERE
    cluster.entity_type = 'exchange'
    AND cluster.method = 'near'
GROUP BY page.dialogue_id, page.page
UNION ALL
SELECT
    'answer' AS kind,
    chunk.pair_id AS name,
    NULL::integer AS page,
    chunk.text AS value
FROM derived.qa_chunks AS chunk
WHERE
    chunk.pair_id = ANY(%(pair_ids)s)
    AND chunk.side = 'answer'
    AND NOT chunk.is_near_duplicate
    AND chunk.chunk_index = 0;
