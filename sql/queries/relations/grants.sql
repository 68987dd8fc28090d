-- Statements that grant the privileges which others than its owner have on a table or view, or on a column of it.
WITH given AS (
    SELECT
        relation.oid,
        relation.relowner,
        NULL AS column_name,
        relation.relacl AS privileges
    FROM pg_class AS relation
    WHERE relation.oid = %(table)s::regclass
    UNION ALL
    SELECT
        relation.oid,
        relation.relowner,
        relation_column.attname::text AS column_name,
        relation_column.attacl AS privileges
    FROM pg_class AS relation
    INNER JOIN pg_attribute AS relation_column ON relation.oid = relation_column.attrelid
    WHERE
        relation.oid = %(table)s::regclass -- noqa: RF02
        AND NOT relation_column.attisdropped
)

SELECT
    format(
        'GRANT %%s%%s ON %%s TO %%s%%s',
        granted.privilege_type,
        CASE WHEN given.column_name IS NULL THEN '' ELSE format(' (%%I)', given.column_name) END,
        given.oid::regclass,
        CASE WHEN granted.grantee = 0 THEN 'PUBLIC' ELSE granted.grantee::regrole::text END,
        CASE WHEN granted.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
    ) AS statement,
    given.column_name
FROM given
CROSS JOIN LATERAL aclexplode(given.privileges) AS granted
WHERE granted.grantee <> given.relowner
ORDER BY statement;
