-- Dialogues whose rows of one asset are missing or were built from other content or by other code. Quarantined ones are
-- not among them. In the order of ids, after one of them, up to a limit (NULL: all).
SELECT
    dialogue.id::text AS id,
    dialogue.partition_key,
    dialogue.shard_key,
    dialogue.fingerprint,
    dialogue.message_count
FROM raw.dialogues AS dialogue
LEFT JOIN derived.build_state AS state
    ON
        dialogue.id = state.dialogue_id
        AND state.asset = %(asset)s
LEFT JOIN derived.build_errors AS build_error
    ON
        dialogue.id = build_error.dialogue_id
        AND dialogue.fingerprint = build_error.fingerprint
        AND build_error.asset = %(asset)s
        AND build_error.code_version = %(code_version)s
WHERE
    dialogue.id > %(after)s::uuid
    AND build_error.dialogue_id IS NULL
    AND (
        state.fingerprint IS DISTINCT FROM dialogue.fingerprint
        OR state.code_version IS DISTINCT FROM %(code_version)s
    )
ORDER BY dialogue.id
LIMIT %(limit)s;
