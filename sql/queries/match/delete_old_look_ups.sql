-- Deletes old look-ups in a range of ids. What a model answered under another name is known by its last such look-up
-- alone, which is kept.
WITH deleted AS (
    DELETE FROM raw.match_log AS log
    WHERE
        log.id BETWEEN %(first_id)s AND %(last_id)s
        AND log.asked_at < now() - make_interval(days => %(days)s)
        AND NOT (
            log.outcome IN ('generated_equal', 'generated_new')
            AND log.model IS NOT NULL
            AND log.response_message_id IS NOT NULL
            AND NOT EXISTS (
                SELECT
                FROM raw.match_log AS later
                WHERE
                    later.response_message_id = log.response_message_id
                    AND later.model = log.model
                    AND later.outcome IN ('generated_equal', 'generated_new')
                    AND later.id > log.id
            )
        )
    RETURNING log.id
)

SELECT count(*) AS deleted
FROM deleted;
