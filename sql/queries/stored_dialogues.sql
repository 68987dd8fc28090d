SELECT
    dialogue.id::text AS id,
    dialogue.fingerprint,
    dialogue.source_updated_at
FROM raw.dialogues AS dialogue
WHERE dialogue.id = ANY(%(ids)s::uuid []);
