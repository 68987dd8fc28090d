-- Live messages without a path, paths of deleted messages, and paths in a dialogue that is not the message's.
SELECT
    message.dialogue_id::text AS dialogue_id,
    message.id::text AS entity_id,
    CASE
        WHEN message_path.message_id IS NULL THEN 'live message without a path'
        WHEN message.deleted_at IS NOT NULL THEN 'path of a deleted message'
        ELSE 'path in another dialogue'
    END AS problem
FROM checked
INNER JOIN raw.messages AS message
    ON checked.dialogue_id = message.dialogue_id
LEFT JOIN derived.message_paths AS message_path
    ON
        message.id = message_path.message_id
        AND message.dialogue_id = message_path.dialogue_id
WHERE
    (message_path.message_id IS NULL) = (message.deleted_at IS NULL)
    OR message_path.dialogue_id <> message.dialogue_id;
