-- The columns of a table that hold values of their own, also those that somebody has added.
SELECT relation_column.attname::text AS name
FROM pg_attribute AS relation_column
WHERE
    relation_column.attrelid = %(table)s::regclass
    AND relation_column.attnum > 0
    AND relation_column.attgenerated = ''
    AND NOT relation_column.attisdropped
ORDER BY relation_column.attnum;
