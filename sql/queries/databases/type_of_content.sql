-- What a column holds, and how many bytes if that is a BLOB, which is not read.
SELECT
    typeof({column}) AS kind,
    CASE WHEN typeof({column}) = 'blob' THEN length({column}) END AS size_bytes
FROM {table}
WHERE {row_number} = ?;
