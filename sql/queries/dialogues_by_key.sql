-- Dialogues of the given partition keys, each with what its rows of one asset were built from.
SELECT
    dialogue.id::text AS dialogue_id,
    dialogue.partition_key,
    dialogue.shard_key,
    dialogue.fingerprint,
    dialogue.message_count,
    coalesce(state.fingerprint = dialogue.fingerprint AND state.code_version = %(code_version)s, FALSE) AS is_current
FROM raw.dialogues AS dialogue
LEFT JOIN derived.build_state AS state
    ON
        dialogue.id = state.dialogue_id
        AND state.asset = %(asset)s
WHERE dialogue.{key_column} = ANY(%(keys)s)
ORDER BY dialogue.id;
