-- A dialogue by its partition key or its id.
SELECT
    dialogue.id::text AS dialogue_id,
    dialogue.partition_key,
    dialogue.shard_key,
    dialogue.fingerprint,
    dialogue.message_count
FROM raw.dialogues AS dialogue
WHERE dialogue.partition_key = %(name)s OR dialogue.id::text = lower(%(name)s);
