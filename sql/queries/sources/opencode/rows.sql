-- The rows of one session of OpenCode, in the tables of both of its versions, and of its project.
SELECT
    'message' AS source_table,
    row_id
FROM message
WHERE session_id = :id
UNION ALL
SELECT
    'part' AS source_table,
    row_id
FROM part
WHERE session_id = :id
UNION ALL
SELECT
    'project' AS source_table,
    row_id
FROM project
WHERE
    id IN (
        SELECT session.project_id FROM session
        WHERE session.id = :id
        UNION
        SELECT session_v2.project_id FROM session_v2
        WHERE session_v2.id = :id
    )
UNION ALL
SELECT
    'session' AS source_table,
    row_id
FROM session
WHERE id = :id
UNION ALL
SELECT
    'session_message' AS source_table,
    row_id
FROM session_message
WHERE session_id = :id
UNION ALL
SELECT
    'session_v2' AS source_table,
    row_id
FROM session_v2
WHERE id = :id
UNION ALL
SELECT
    'todo' AS source_table,
    row_id
FROM todo
WHERE session_id = :id
ORDER BY 1, 2;
