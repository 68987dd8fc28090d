-- Exchanges per number of times that the user asked to go on with the answer.
SELECT
    'exchanges' AS series,
    exchange.merged_count AS label,
    count(*) AS value
FROM derived.exchanges AS exchange
WHERE NOT exchange.is_continuation
GROUP BY exchange.merged_count
ORDER BY label;
