-- Partition keys with a dialogue of which some asset is stale, each with a digest of the stale content.
SELECT
    dialogue.{key_column} AS partition_key,
    md5(string_agg(dialogue.fingerprint, ',' ORDER BY dialogue.id)) AS content
FROM raw.dialogues AS dialogue
LEFT JOIN (
    SELECT
        state.dialogue_id,
        state.fingerprint,
        count(*) AS current_assets
    FROM derived.build_state AS state
    INNER JOIN unnest(%(assets)s::text [], %(code_versions)s::text []) AS wanted (asset, code_version)
        ON
            state.asset = wanted.asset
            AND state.code_version = wanted.code_version
    GROUP BY state.dialogue_id, state.fingerprint
) AS built
    ON
        dialogue.id = built.dialogue_id
        AND dialogue.fingerprint = built.fingerprint
WHERE built.current_assets IS DISTINCT FROM cardinality(%(assets)s::text [])
GROUP BY dialogue.{key_column}
ORDER BY dialogue.{key_column};
