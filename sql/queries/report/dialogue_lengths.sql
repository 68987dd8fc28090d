-- Dialogues per class of their live messages; the classes begin at the given bounds.
SELECT
    'dialogues' AS series,
    width_bucket(dialogue.message_count, %(bounds)s::integer []) AS label,
    count(*) AS value
FROM raw.dialogues AS dialogue
GROUP BY width_bucket(dialogue.message_count, %(bounds)s::integer [])
ORDER BY label;
