-- What is unusual in the dialogues as they are now, and records that were rejected, per name: how often.
SELECT
    'anomalies' AS series,
    split_part(surprise.name, ':', 1) AS label,
    sum(surprise.count::bigint)::bigint AS value
FROM raw.dialogues AS dialogue
CROSS JOIN LATERAL jsonb_each_text(dialogue.diagnostics) AS surprise (name, count)
WHERE dialogue.diagnostics <> '{}'::jsonb AND surprise.count ~ '^[0-9]+$' AND surprise.count <> '0'
GROUP BY split_part(surprise.name, ':', 1)
UNION ALL
SELECT
    'rejected' AS series,
    'rejected records' AS label,
    count(*) AS value
FROM raw.rejected_records
HAVING count(*) > 0
ORDER BY value DESC, label ASC;
