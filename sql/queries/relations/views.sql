-- The project's schema of derived tables: its views with their columns and types, and the tables and views they read.
SELECT
    relation.relname::text AS name,
    ARRAY(
        SELECT relation_column.attname::text
        FROM pg_attribute AS relation_column
        WHERE relation_column.attrelid = relation.oid AND relation_column.attnum > 0
        ORDER BY relation_column.attnum
    ) AS columns,
    ARRAY(
        SELECT format_type(relation_column.atttypid, relation_column.atttypmod)
        FROM pg_attribute AS relation_column
        WHERE relation_column.attrelid = relation.oid AND relation_column.attnum > 0
        ORDER BY relation_column.attnum
    ) AS types,
    ARRAY(
        SELECT DISTINCT concat(used.relnamespace::regnamespace, '.', used.relname)
        FROM pg_rewrite AS definition
        INNER JOIN pg_depend AS reads
            ON
                definition.oid = reads.objid
                AND reads.classid = 'pg_rewrite'::regclass
                AND reads.refclassid = 'pg_class'::regclass
        INNER JOIN pg_class AS used ON reads.refobjid = used.oid
        WHERE definition.ev_class = relation.oid AND used.oid <> relation.oid
    ) AS reads
FROM pg_class AS relation
WHERE
    relation.relkind = 'v'
    AND relation.relnamespace = 'derived'::regnamespace;
