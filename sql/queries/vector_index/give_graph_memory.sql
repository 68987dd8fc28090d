-- Memory for a graph of neighbours, in this transaction; never less than the server's own setting. Processes that build
-- it together share all of it, so one builds it where that is more than they can share.
WITH memory AS (
    SELECT greatest(setting::bigint, %(kilobytes)s::bigint) AS kilobytes
    FROM pg_settings
    WHERE name = 'maintenance_work_mem'
)

SELECT
    set_config('maintenance_work_mem', memory.kilobytes || 'kB', TRUE) AS maintenance_work_mem,
    set_config(
        'max_parallel_maintenance_workers',
        CASE
            WHEN memory.kilobytes > %(shared_kilobytes)s::bigint THEN '0'
            ELSE current_setting('max_parallel_maintenance_workers')
        END,
        TRUE
    ) AS max_parallel_maintenance_workers
FROM memory;
