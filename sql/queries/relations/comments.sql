-- Statements that say again what is said of a table, its keys and its indexes; a copy has the comments of columns.
SELECT
    format('COMMENT ON TABLE %%s IS %%L', relation.oid::regclass, obj_description(relation.oid, 'pg_class'))
        AS statement
FROM pg_class AS relation
WHERE relation.oid = %(table)s::regclass -- noqa: RF02
UNION ALL
SELECT
    format(
        'COMMENT ON CONSTRAINT %%I ON %%s IS %%L',
        key.conname,
        key.conrelid::regclass,
        obj_description(key.oid, 'pg_constraint')
    ) AS statement
FROM pg_constraint AS key
WHERE
    (key.conrelid = %(table)s::regclass OR key.confrelid = %(table)s::regclass)
    AND key.contype IN ('p', 'u', 'f')
    AND key.conparentid = 0
    AND obj_description(key.oid, 'pg_constraint') IS NOT NULL
UNION ALL
SELECT
    format('COMMENT ON INDEX %%s IS %%L', index.indexrelid::regclass, obj_description(index.indexrelid, 'pg_class'))
        AS statement
FROM pg_index AS index
WHERE
    index.indrelid = %(table)s::regclass
    AND obj_description(index.indexrelid, 'pg_class') IS NOT NULL;
