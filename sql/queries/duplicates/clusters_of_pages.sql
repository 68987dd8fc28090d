-- The clusters of exchanges that say nearly the same, of some pages; the widest one of each.
SELECT DISTINCT ON (wanted.doc_id, wanted.page)
    wanted.doc_id::text AS doc_id,
    wanted.page,
    cluster.cluster_id::text AS cluster_id
FROM unnest(%(doc_ids)s::uuid [], %(pages)s::integer []) AS wanted (doc_id, page)
INNER JOIN derived.dialogue_pages AS page
    ON
        wanted.doc_id = page.dialogue_id
        AND wanted.page = page.page
INNER JOIN derived.duplicate_clusters AS cluster
    ON
        page.dialogue_id = cluster.dialogue_id
        AND page.exchange_id = cluster.entity_id
WHERE cluster.entity_type = 'exchange'
ORDER BY wanted.doc_id ASC, wanted.page ASC, cluster.cluster_size DESC, cluster.cluster_id ASC;
