-- The ids of all conversations in a database of Cursor, also of one of which only messages are there; and the keys of
-- entries that have several.
SELECT conversation
FROM cursordiskkv
UNION
SELECT conversation
FROM itemtable
ORDER BY 1;
