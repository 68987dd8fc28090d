-- Keeps some dialogues from being changed, deleted or built by others until the transaction ends; those that are gone
-- have no row. Foreign keys that refer to them are checked meanwhile, without waiting.
SELECT dialogue.id::text AS id
FROM raw.dialogues AS dialogue
WHERE dialogue.id = ANY(%(ids)s::uuid [])
ORDER BY dialogue.id
FOR NO KEY UPDATE;
