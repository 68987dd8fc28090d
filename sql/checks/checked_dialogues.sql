-- Dialogues whose rows of an asset were built from their present content: the given ones, or all without a list.
SELECT dialogue.id AS dialogue_id
FROM raw.dialogues AS dialogue
INNER JOIN derived.build_state AS state
    ON
        dialogue.id = state.dialogue_id
        AND dialogue.fingerprint = state.fingerprint
WHERE
    state.asset = %(asset)s
    AND (%(dialogue_ids)s::uuid[] IS NULL OR dialogue.id = ANY(%(dialogue_ids)s::uuid[]));
