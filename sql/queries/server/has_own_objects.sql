-- Whether anything in this database was made by others than PostgreSQL's initdb.
SELECT
    EXISTS (
        SELECT FROM pg_class
        WHERE oid >= 16384
    )
    OR EXISTS (
        SELECT FROM pg_namespace
        WHERE oid >= 16384
    )
    OR EXISTS (
        SELECT FROM pg_proc
        WHERE oid >= 16384
    )
    OR EXISTS (
        SELECT FROM pg_type
        WHERE oid >= 16384
    )
    OR EXISTS (
        SELECT FROM pg_extension
        WHERE oid >= 16384
    )
    OR EXISTS (
        SELECT FROM pg_largeobject_metadata
    ) AS has_own_objects;
