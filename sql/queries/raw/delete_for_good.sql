-- Later imports leave these dialogues out.
INSERT INTO raw.deleted_dialogues (source, source_id)
SELECT
    dialogue.source,
    dialogue.source_id
FROM raw.dialogues AS dialogue
WHERE dialogue.id = ANY(%(ids)s::uuid [])
ON CONFLICT DO NOTHING;
