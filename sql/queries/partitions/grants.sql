-- Statements that grant the privileges which others than its owner have on a table.
SELECT
    format(
        'GRANT %%s ON %%s TO %%s%%s',
        granted.privilege_type,
        relation.oid::regclass,
        CASE WHEN granted.grantee = 0 THEN 'PUBLIC' ELSE granted.grantee::regrole::text END,
        CASE WHEN granted.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
    ) AS statement
FROM pg_class AS relation
CROSS JOIN LATERAL aclexplode(relation.relacl) AS granted
WHERE
    relation.oid = %(table)s::regclass -- noqa: RF02
    AND granted.grantee <> relation.relowner
ORDER BY statement;
