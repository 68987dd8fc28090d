SELECT {columns}
FROM {table}
WHERE {row_number} = ?;
