-- A few dialogues whose rows of every asset are up to date; other ones with another seed. Ten times as many are looked
-- at, which is enough unless most of the archive is stale.
SELECT candidate.dialogue_id::text AS dialogue_id
FROM (
    SELECT
        dialogue.id AS dialogue_id,
        dialogue.fingerprint,
        md5(dialogue.id::text || %(seed)s) AS place
    FROM raw.dialogues AS dialogue
    WHERE dialogue.message_count <= %(max_messages)s
    ORDER BY place
    LIMIT 10 * %(number)s
) AS candidate
INNER JOIN derived.build_state AS state
    ON
        candidate.dialogue_id = state.dialogue_id
        AND candidate.fingerprint = state.fingerprint
INNER JOIN unnest(%(assets)s::text [], %(code_versions)s::text []) AS wanted (asset, code_version) -- noqa: RF02
    ON
        state.asset = wanted.asset
        AND state.code_version = wanted.code_version
GROUP BY
    candidate.dialogue_id,
    candidate.place
HAVING count(*) = cardinality(%(assets)s::text [])
ORDER BY candidate.place
LIMIT %(number)s;
