-- The clusters of duplicates that messages of some dialogues are in.
SELECT
    cluster.entity_id::text AS message_id,
    cluster.method,
    cluster.cluster_id::text AS cluster_id,
    cluster.cluster_size,
    cluster.is_kept
FROM derived.duplicate_clusters AS cluster
WHERE
    cluster.dialogue_id = ANY('{dialogue_ids}'::uuid [])
    AND cluster.entity_type = 'message';
