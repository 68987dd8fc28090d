-- The rows of one conversation of Cursor.
SELECT
    'ItemTable' AS source_table,
    row_id
FROM itemtable
WHERE conversation = :id
UNION ALL
SELECT
    'composerHeaders' AS source_table,
    row_id
FROM composerheaders
WHERE composerid = :id
UNION ALL
SELECT
    'cursorDiskKV' AS source_table,
    row_id
FROM cursordiskkv
WHERE conversation = :id
ORDER BY 1, 2;
