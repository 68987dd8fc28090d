-- Statements that create the indexes of a table which are no constraints' own, on a whole or partitioned table.
SELECT replace(pg_get_indexdef(index.indexrelid), ' ON ONLY ', ' ON ') AS statement
FROM pg_index AS index
WHERE
    index.indrelid = %(table)s::regclass
    AND NOT EXISTS (
        SELECT FROM pg_constraint AS key
        WHERE key.conindid = index.indexrelid AND key.contype IN ('p', 'u')
    )
ORDER BY statement;
