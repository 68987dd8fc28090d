-- Dialogues per class of their own live messages; the classes begin at the given bounds. What a dialogue has copied
-- from its original is counted there, and a dialogue that is a copy is none.
WITH own AS (
    SELECT dialogue.message_count - coalesce(link.shared_messages, 0) AS messages
    FROM raw.dialogues AS dialogue
    LEFT JOIN raw.dialogue_links AS link
        ON
            dialogue.id = link.dialogue_id
            AND link.shared_messages > 0
    WHERE link.kind IS DISTINCT FROM 'copy'
)

SELECT
    'dialogues' AS series,
    width_bucket(own.messages, %(bounds)s::integer []) AS label,
    count(*) AS value
FROM own
GROUP BY width_bucket(own.messages, %(bounds)s::integer [])
ORDER BY label;
