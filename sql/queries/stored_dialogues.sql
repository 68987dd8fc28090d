SELECT
    dialogue.id::text AS id,
    dialogue.fingerprint,
    dialogue.title,
    dialogue.source_updated_at,
    dialogue.active_message_id::text AS active_message_id
FROM raw.dialogues AS dialogue
WHERE dialogue.id = ANY(%(ids)s::uuid []);
