-- The tables with a foreign key to or from a table whose owner is subject to row-level security.
SELECT other.oid::regclass::text AS table_name
FROM pg_class AS other
WHERE
    other.relforcerowsecurity
    AND EXISTS (
        SELECT FROM pg_constraint AS key
        WHERE
            key.contype = 'f'
            AND (
                (key.conrelid = %(table)s::regclass AND key.confrelid = other.oid) -- noqa: RF02
                OR (key.confrelid = %(table)s::regclass AND key.conrelid = other.oid) -- noqa: RF02
            )
    )
    AND other.oid <> %(table)s::regclass
ORDER BY table_name;
