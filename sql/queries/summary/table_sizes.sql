-- What each table of the archive takes with its indexes and partitions, in bytes, the largest first.
SELECT
    relation.relnamespace::regnamespace::text || '.' || relation.relname AS name,
    coalesce(
        (SELECT sum(pg_total_relation_size(part.relid)) FROM pg_partition_tree(relation.oid) AS part)::bigint,
        pg_total_relation_size(relation.oid)
    ) AS size_bytes
FROM pg_class AS relation
WHERE
    relation.relkind IN ('r', 'p')
    AND relation.relnamespace::regnamespace::text IN ('raw', 'derived', 'dagster')
ORDER BY size_bytes DESC, name ASC;
