-- Statements that set on a new table what a copy of its columns does not have: flags of row-level security, statistics
-- targets and options of columns, statistics objects.
SELECT format('ALTER TABLE %%s ENABLE ROW LEVEL SECURITY', relation.oid::regclass) AS statement
FROM pg_class AS relation
WHERE
    relation.oid = %(table)s::regclass
    AND relation.relrowsecurity
UNION ALL
SELECT format('ALTER TABLE %%s FORCE ROW LEVEL SECURITY', relation.oid::regclass) AS statement
FROM pg_class AS relation
WHERE
    relation.oid = %(table)s::regclass
    AND relation.relforcerowsecurity
UNION ALL
SELECT
    format(
        'ALTER TABLE %%s ALTER COLUMN %%I SET STATISTICS %%s',
        relation_column.attrelid::regclass,
        relation_column.attname,
        relation_column.attstattarget
    ) AS statement
FROM pg_attribute AS relation_column
WHERE
    relation_column.attrelid = %(table)s::regclass
    AND relation_column.attstattarget >= 0
    AND relation_column.attnum > 0
    AND NOT relation_column.attisdropped
UNION ALL
SELECT
    format(
        'ALTER TABLE %%s ALTER COLUMN %%I SET (%%s)',
        relation_column.attrelid::regclass,
        relation_column.attname,
        array_to_string(relation_column.attoptions, ', ')
    ) AS statement
FROM pg_attribute AS relation_column
WHERE
    relation_column.attrelid = %(table)s::regclass
    AND relation_column.attoptions IS NOT NULL
    AND NOT relation_column.attisdropped
UNION ALL
SELECT
    concat(
        pg_get_statisticsobjdef(statistics_object.oid),
        format(
            '; COMMENT ON STATISTICS %%s.%%I IS ',
            statistics_object.stxnamespace::regnamespace,
            statistics_object.stxname
        ) || quote_literal(obj_description(statistics_object.oid, 'pg_statistic_ext'))
    ) AS statement
FROM pg_statistic_ext AS statistics_object
WHERE statistics_object.stxrelid = %(table)s::regclass;
