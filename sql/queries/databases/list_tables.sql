-- The tables that rows are stored in: views and virtual tables have no page of their own.
SELECT
    name,
    sql
FROM sqlite_master
WHERE type = 'table' AND rootpage > 0
ORDER BY name;
