-- Partition keys with a dialogue of which some asset is stale, in the order to build them: every one that was tried
-- before, and the first ones of the others, up to the limit (NULL: all). A digest is of the key, the stale content and
-- the code; those that were tried are given. What is quarantined counts as done; a dialogue is never built and
-- quarantined at once.
WITH built AS (
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
),

failed AS (
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
),

stale AS (
    SELECT
        dialogue.{key_column} AS partition_key,
        min({place}) COLLATE "C" AS place, -- noqa: RF02
        bit_xor(hashtextextended(dialogue.id::text || dialogue.fingerprint, 0)) AS content
    FROM raw.dialogues AS dialogue
    LEFT JOIN built
        ON
            dialogue.id = built.dialogue_id
            AND dialogue.fingerprint = built.fingerprint
    LEFT JOIN failed
        ON
            dialogue.id = failed.dialogue_id
            AND dialogue.fingerprint = failed.fingerprint
    WHERE
        coalesce(built.current_assets, 0) + coalesce(failed.quarantined_assets, 0)
        <> cardinality(%(assets)s::text [])
    GROUP BY dialogue.{key_column}
),

digested AS MATERIALIZED (
    SELECT
        stale.partition_key,
        stale.place,
        hashtextextended(
            concat_ws('|', stale.partition_key, stale.content, array_to_string(%(code_versions)s::text [], '|')), 0
        ) & 4294967295 AS digest
    FROM stale
),

tried AS (
    SELECT
        given.digest,
        given.attempts
    FROM unnest(%(digests)s::bigint [], %(attempts)s::int []) AS given (digest, attempts)
),

untried AS (
    SELECT
        digested.partition_key,
        digested.place,
        digested.digest,
        0 AS attempts
    FROM digested
    WHERE NOT EXISTS (SELECT FROM tried WHERE tried.digest = digested.digest)
    ORDER BY digested.place
    LIMIT %(limit)s
),

chosen AS (
    SELECT
        untried.partition_key,
        untried.place,
        untried.digest,
        untried.attempts
    FROM untried
    UNION ALL
    SELECT
        digested.partition_key,
        digested.place,
        digested.digest,
        tried.attempts
    FROM digested
    INNER JOIN tried ON digested.digest = tried.digest
)

SELECT
    chosen.partition_key AS key,
    chosen.digest,
    chosen.attempts
FROM chosen
ORDER BY chosen.place;
