-- Partition keys with a dialogue of which some asset is stale, each with a digest of the stale content. What is
-- quarantined counts as done; a dialogue is never built and quarantined at once.
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
LEFT JOIN (
    SELECT
        build_error.dialogue_id,
        build_error.fingerprint,
        count(*) AS quarantined_assets
    FROM derived.build_errors AS build_error
    INNER JOIN unnest(%(assets)s::text [], %(code_versions)s::text []) AS wanted (asset, code_version)
        ON
            build_error.asset = wanted.asset
            AND build_error.code_version = wanted.code_version
    GROUP BY build_error.dialogue_id, build_error.fingerprint
) AS failed
    ON
        dialogue.id = failed.dialogue_id
        AND dialogue.fingerprint = failed.fingerprint
WHERE coalesce(built.current_assets, 0) + coalesce(failed.quarantined_assets, 0) <> cardinality(%(assets)s::text [])
GROUP BY dialogue.{key_column}
ORDER BY dialogue.{key_column};
