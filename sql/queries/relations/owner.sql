-- The role that owns a table or view.
SELECT relation.relowner::regrole::text AS owner
FROM pg_class AS relation
WHERE relation.oid = %(table)s::regclass;
