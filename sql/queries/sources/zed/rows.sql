-- The row of one thread of Zed.
SELECT
    'threads' AS source_table,
    row_id
FROM threads
WHERE id IS :id
ORDER BY 2;
