-- The primary, unique and foreign keys of a table, and the foreign keys of other tables to it; those that partitions
-- have from their table are left out.
SELECT
    key.conrelid::regclass::text AS table_name,
    key.conname::text AS name,
    pg_get_constraintdef(key.oid) AS definition,
    key.contype = 'f' AS is_foreign
FROM pg_constraint AS key
WHERE
    key.contype IN ('p', 'u', 'f')
    AND key.conparentid = 0
    AND (key.conrelid = %(table)s::regclass OR key.confrelid = %(table)s::regclass)
ORDER BY
    key.contype DESC,
    table_name ASC,
    name ASC;
