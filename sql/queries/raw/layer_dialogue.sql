SELECT
    dialogue.source,
    dialogue.source_id,
    dialogue.title,
    dialogue.source_created_at,
    dialogue.custom_gpt_id,
    dialogue.project_id,
    dialogue.source_parent_id,
    active.source_id AS active,
    dialogue.diagnostics,
    dialogue.source_json::text AS source_json,
    dialogue.source_bytes
FROM raw.dialogues AS dialogue
LEFT JOIN raw.messages AS active
    ON
        dialogue.active_message_id = active.id
        AND dialogue.id = active.dialogue_id
WHERE dialogue.id = %(dialogue_id)s;
