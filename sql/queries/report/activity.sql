-- Live messages per month in which their dialogue began, as the source says, and per source; without a month where it
-- does not. Messages that a dialogue has copied from another one are counted there.
SELECT
    dialogue.source AS series,
    to_char(dialogue.source_created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS label,
    sum(dialogue.message_count - coalesce(link.shared_messages, 0))::bigint AS value
FROM raw.dialogues AS dialogue
LEFT JOIN raw.dialogue_links AS link
    ON
        dialogue.id = link.dialogue_id
        AND link.shared_messages > 0
WHERE dialogue.source_created_at IS NOT NULL
GROUP BY dialogue.source, to_char(dialogue.source_created_at AT TIME ZONE 'UTC', 'YYYY-MM')
ORDER BY label, series;
