-- Tables with many dead rows, and tables whose statistics the planner does not have or that have outgrown them; of a
-- partitioned table its root. What PostgreSQL's counters lost does not matter for statistics: the sizes are the files'.
WITH stored AS (
    SELECT
        coalesce(pg_partition_root(kept.oid), kept.oid) AS root,
        pg_stat_get_dead_tuples(kept.oid)
        > %(least_dead)s + %(share)s * pg_stat_get_live_tuples(kept.oid) AS has_dead_rows,
        pg_relation_size(kept.oid) >= %(smallest)s -- noqa: RF02
        AND (
            pg_relation_size(kept.oid)
            > (1 + %(share)s) * kept.relpages * current_setting('block_size')::bigint
            OR NOT EXISTS (
                SELECT FROM pg_stats AS described
                WHERE
                    described.schemaname = kept.relnamespace::regnamespace::text
                    AND described.tablename = kept.relname
            )
        ) AS has_grown
    FROM pg_class AS kept
    WHERE
        kept.relkind = 'r'
        AND kept.relnamespace::regnamespace::text IN ('raw', 'derived', 'dagster', 'partitions')
        AND pg_has_role(kept.relowner, 'USAGE')
)

SELECT
    tidied.relnamespace::regnamespace::text AS schema_name,
    tidied.relname AS table_name,
    bool_or(stored.has_dead_rows) AS has_dead_rows
FROM stored
INNER JOIN pg_class AS tidied ON stored.root = tidied.oid
WHERE stored.has_dead_rows OR stored.has_grown
GROUP BY
    tidied.relnamespace,
    tidied.relname
ORDER BY
    schema_name,
    table_name;
