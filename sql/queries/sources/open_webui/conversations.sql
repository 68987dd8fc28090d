-- The numbers of all chats of Open WebUI, each of which is a row.
SELECT row_id
FROM chat
ORDER BY row_id;
