-- Rows of a table from a number on: the number, and some columns.
SELECT {columns}
FROM {table}
WHERE {row_number} >= ?
ORDER BY {row_number};
