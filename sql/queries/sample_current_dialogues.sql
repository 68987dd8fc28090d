-- A few dialogues whose rows of every asset are up to date; other ones with another seed.
SELECT dialogue.id::text AS dialogue_id
FROM raw.dialogues AS dialogue
WHERE
    dialogue.message_count <= %(most_messages)s
    AND (
        SELECT count(*)
        FROM derived.build_state AS state
        INNER JOIN unnest(%(assets)s::text [], %(code_versions)s::text []) AS wanted (asset, code_version)
            ON
                state.asset = wanted.asset
                AND state.code_version = wanted.code_version
        WHERE
            state.dialogue_id = dialogue.id
            AND state.fingerprint = dialogue.fingerprint
    ) = cardinality(%(assets)s::text [])
ORDER BY md5(dialogue.id::text || %(seed)s)
LIMIT %(number)s;
