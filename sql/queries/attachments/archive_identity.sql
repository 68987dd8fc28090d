-- What no other database has: its first import, and its number, since a copy of it has the same imports.
SELECT
    coalesce((SELECT import.id::text FROM raw.imports AS import ORDER BY import.started_at, import.id LIMIT 1), '')
    || '-' || database.oid::text
FROM pg_database AS database
WHERE database.datname = current_database();
