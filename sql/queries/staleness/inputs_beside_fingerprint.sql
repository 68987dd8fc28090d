-- What derived rows of a dialogue are computed from and its fingerprint leaves out: workspace, times of messages,
-- attachments.
SELECT
    message.id,
    message.created_at,
    attachment.sequence,
    attachment.file_name,
    attachment.uri,
    attachment.content_sha256,
    coalesce(dialogue.project_id, dialogue.custom_gpt_id) AS workspace_id
FROM raw.messages AS message
INNER JOIN raw.dialogues AS dialogue ON message.dialogue_id = dialogue.id
LEFT JOIN raw.attachments AS attachment
    ON
        message.id = attachment.message_id
        AND message.dialogue_id = attachment.dialogue_id
WHERE
    message.dialogue_id = %(id)s::uuid
    AND message.deleted_at IS NULL
ORDER BY message.id, attachment.sequence;
