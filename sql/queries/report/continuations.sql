-- Exchanges per class of the times that the user asked to go on with the answer; the classes begin at the given bounds.
-- What a dialogue has copied from its original is counted there.
SELECT
    'exchanges' AS series,
    width_bucket(exchange.merged_count, %(bounds)s::integer []) AS label,
    count(*) AS value
FROM derived.exchanges AS exchange
WHERE
    NOT exchange.is_continuation
    AND NOT EXISTS (
        SELECT
        FROM derived.copied_messages AS copied
        WHERE copied.message_id = exchange.last_message_id
    )
GROUP BY width_bucket(exchange.merged_count, %(bounds)s::integer [])
ORDER BY label;
