-- What the database says of a table.
SELECT obj_description(%(table)s::regclass, 'pg_class') AS comment;
