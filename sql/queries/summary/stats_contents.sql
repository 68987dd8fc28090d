-- Per source and model: how many live messages name it, the first and the last time. Without a model: of all messages
-- of the source, or of all documents. What a dialogue has copied from its original is counted there.
SELECT
    dialogue.source,
    message.model,
    count(*) AS messages,
    min(message.created_at) AS first_at,
    max(message.created_at) AS last_at
FROM raw.messages AS message
INNER JOIN raw.dialogues AS dialogue
    ON message.dialogue_id = dialogue.id
WHERE
    message.deleted_at IS NULL
    AND NOT EXISTS (
        SELECT 1
        FROM derived.copied_messages AS copied
        WHERE copied.message_id = message.id
    )
GROUP BY GROUPING SETS ((dialogue.source, message.model), (dialogue.source))
HAVING grouping(message.model) = 1 OR message.model IS NOT NULL
UNION ALL
SELECT
    'document' AS source,
    NULL AS model,
    count(*) AS messages,
    min(document.added_at) AS first_at,
    max(document.added_at) AS last_at
FROM raw.documents AS document
HAVING count(*) > 0
ORDER BY source ASC, model ASC NULLS FIRST;
