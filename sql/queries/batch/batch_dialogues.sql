-- The source's pointer to the current message of some dialogues, their workspaces and their sessions.
SELECT
    dialogue.id::text AS dialogue_id,
    dialogue.active_message_id::text AS active_message_id,
    coalesce(dialogue.project_id, dialogue.custom_gpt_id) AS workspace_id,
    dialogue.source_id AS session_id
FROM raw.dialogues AS dialogue
WHERE dialogue.id = ANY('{dialogue_ids}'::uuid [])
ORDER BY dialogue.id;
