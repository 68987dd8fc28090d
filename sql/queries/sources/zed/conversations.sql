-- The ids of all threads in a database of Zed; also none, since a key that is a text may be missing.
SELECT DISTINCT id
FROM threads
ORDER BY 1;
