-- How many bytes a table has, without its indexes.
SELECT pg_relation_size(%(table)s::regclass) AS table_bytes;
