-- Until the end of the transaction the database's own tablespace is taken without its name, if that is the default: a
-- partitioned table or index does not take it by its name.
SELECT set_config('default_tablespace', '', TRUE)
FROM pg_database AS own_database
INNER JOIN pg_tablespace AS own_tablespace ON own_database.dattablespace = own_tablespace.oid
WHERE
    own_database.datname = current_database()
    AND own_tablespace.spcname = current_setting('default_tablespace');
