-- Messages that a dialogue has copied from another one are counted there, and here apart.
SELECT
    dialogue.source,
    count(*) AS dialogues,
    coalesce(sum(dialogue.message_count - coalesce(link.shared_messages, 0)), 0)::bigint AS messages,
    coalesce(sum(link.shared_messages), 0)::bigint AS copied_messages
FROM raw.dialogues AS dialogue
LEFT JOIN raw.dialogue_links AS link
    ON
        dialogue.id = link.dialogue_id
        AND link.shared_messages > 0
GROUP BY dialogue.source
ORDER BY dialogue.source;
