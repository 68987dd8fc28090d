-- Those of some keys that other dialogues than the given ones have.
SELECT DISTINCT dialogue.partition_key
FROM unnest(%(ids)s::uuid [], %(keys)s::text []) AS new (id, partition_key)
INNER JOIN raw.dialogues AS dialogue
    ON new.partition_key = dialogue.partition_key
WHERE new.id <> dialogue.id
ORDER BY dialogue.partition_key;
