-- The one row of a chat of Open WebUI.
SELECT
    'chat' AS source_table,
    row_id
FROM chat
WHERE row_id = :id;
