-- What a branch of a dialogue takes its ids from.
SELECT
    dialogue.id::text AS dialogue_id,
    dialogue.source,
    dialogue.source_id
FROM raw.dialogues AS dialogue
WHERE dialogue.id = %(id)s;
