-- Live messages per model that wrote them, most first, and the source that has most of them. What a dialogue has copied
-- from its original is counted there.
SELECT
    mode() WITHIN GROUP (ORDER BY dialogue.source) AS series,
    message.model AS label,
    count(*) AS value
FROM raw.messages AS message
INNER JOIN raw.dialogues AS dialogue ON message.dialogue_id = dialogue.id
WHERE
    message.deleted_at IS NULL
    AND message.model IS NOT NULL
    AND NOT EXISTS (
        SELECT
        FROM derived.copied_messages AS copied
        WHERE copied.message_id = message.id
    )
GROUP BY message.model
ORDER BY value DESC, label ASC;
