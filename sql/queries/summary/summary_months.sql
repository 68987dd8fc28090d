-- Dialogues and live messages per month in which the dialogue began, as the source says; without a month where it does
-- not. Messages that a dialogue has copied from another one are counted there.
SELECT
    to_char(dialogue.source_created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month,
    count(*) AS dialogues,
    coalesce(sum(dialogue.message_count - coalesce(link.shared_messages, 0)), 0)::bigint AS messages
FROM raw.dialogues AS dialogue
LEFT JOIN raw.dialogue_links AS link
    ON
        dialogue.id = link.dialogue_id
        AND link.shared_messages > 0
GROUP BY to_char(dialogue.source_created_at AT TIME ZONE 'UTC', 'YYYY-MM')
ORDER BY month;
