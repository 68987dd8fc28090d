-- The rows of one session of OpenClaw, its events in their order.
SELECT
    source_table,
    row_id
FROM (
    SELECT
        'session_nodes' AS source_table,
        row_id,
        NULL AS seq
    FROM session_nodes
    WHERE current_session_id = :id
    UNION ALL
    SELECT
        'session_windows' AS source_table,
        row_id,
        NULL AS seq
    FROM session_windows
    WHERE session_id = :id
    UNION ALL
    SELECT
        'transcript_events' AS source_table,
        row_id,
        seq
    FROM transcript_events
    WHERE session_id = :id
) AS own_rows
ORDER BY source_table, seq, row_id;
