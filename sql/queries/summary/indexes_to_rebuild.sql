-- B-tree indexes whose table is at least twice as large as when they were last rebuilt, which their comment says, the
-- smallest first. Only sizes that are worth it, and of which a rebuild keeps nobody waiting for long; only owners may.
SELECT
    tree.relnamespace::regnamespace::text AS schema_name,
    tree.relname AS index_name,
    indexed.relname AS table_name,
    pg_relation_size(indexed.oid) AS table_bytes
FROM pg_index AS described
INNER JOIN pg_class AS tree ON described.indexrelid = tree.oid
INNER JOIN pg_class AS indexed ON described.indrelid = indexed.oid
INNER JOIN pg_am AS method ON tree.relam = method.oid
WHERE
    tree.relkind = 'i'
    AND method.amname = 'btree'
    AND described.indisvalid
    AND pg_has_role(indexed.relowner, 'USAGE')
    AND tree.relnamespace::regnamespace::text IN ('raw', 'derived', 'dagster', 'partitions')
    AND pg_relation_size(tree.oid) BETWEEN %(smallest)s AND %(largest)s -- noqa: RF02
    AND pg_relation_size(indexed.oid)
    >= 2 * coalesce(substring(obj_description(tree.oid, 'pg_class') FROM '^Rebuilt at ([0-9]+) bytes')::bigint, 0)
ORDER BY
    pg_relation_size(tree.oid),
    tree.relname;
