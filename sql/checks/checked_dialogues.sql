-- Dialogues whose rows of an asset were built from their present content: those of partition keys, or all without any.
SELECT dialogue.id AS dialogue_id
FROM raw.dialogues AS dialogue
INNER JOIN derived.build_state AS state
    ON
        dialogue.id = state.dialogue_id
        AND dialogue.fingerprint = state.fingerprint
WHERE
    state.asset = %(asset)s
    AND (%(keys)s::text[] IS NULL OR dialogue.{key_column} = ANY(%(keys)s::text[]));
