-- Live messages per month in which their dialogue began, as the source says, or without a date where it says nothing,
-- and per source. Messages that a dialogue has copied from another one are counted there.
SELECT
    dialogue.source AS series,
    coalesce(to_char(dialogue.source_created_at AT TIME ZONE 'UTC', 'YYYY-MM'), %(no_date)s) AS label,
    sum(dialogue.message_count - coalesce(link.shared_messages, 0))::bigint AS value
FROM raw.dialogues AS dialogue
LEFT JOIN raw.dialogue_links AS link
    ON
        dialogue.id = link.dialogue_id
        AND link.shared_messages > 0
GROUP BY dialogue.source, to_char(dialogue.source_created_at AT TIME ZONE 'UTC', 'YYYY-MM')
HAVING sum(dialogue.message_count - coalesce(link.shared_messages, 0)) > 0
ORDER BY label, series;
