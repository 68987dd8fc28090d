-- Until the end of the transaction tables and indexes are made in the database's own tablespace.
SELECT set_config('default_tablespace', '', TRUE);
