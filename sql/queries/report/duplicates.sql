-- Members of clusters of duplicates per way to find them: those to keep, copies that came with a fork, and others.
SELECT
    cluster.entity_type || ', ' || cluster.method AS label,
    coalesce(CASE cluster.copy_kind WHEN 'prefix' THEN 'came with a fork' ELSE cluster.copy_kind END, 'kept') AS series,
    count(*) AS value
FROM derived.duplicate_clusters AS cluster
GROUP BY cluster.entity_type, cluster.method, cluster.copy_kind
ORDER BY series, label;
