-- Whether a table has any row.
SELECT exists(SELECT FROM {table}) AS has_rows;
