-- Statements that take from others than its owner what default privileges gave them on a new table or view.
SELECT DISTINCT
    format(
        'REVOKE ALL ON %%s FROM %%s',
        relation.oid::regclass,
        CASE WHEN granted.grantee = 0 THEN 'PUBLIC' ELSE granted.grantee::regrole::text END
    ) AS statement
FROM pg_class AS relation
CROSS JOIN LATERAL aclexplode(relation.relacl) AS granted
WHERE
    relation.oid = %(table)s::regclass -- noqa: RF02
    AND granted.grantee <> relation.relowner;
