-- Dialogues that a name may mean, the best kind of match first: a prefix of the key, of the id or of the source's id,
-- then the whole title, then a part of it, the newest first. Prefixes are looked up in indexes.
SELECT
    found.dialogue_id::text AS dialogue_id,
    dialogue.partition_key,
    dialogue.title,
    (
        SELECT prompt.first_prompt
        FROM derived.first_prompts AS prompt
        WHERE prompt.dialogue_id = dialogue.id
    ) AS first_prompt,
    coalesce(dialogue.source_updated_at, dialogue.source_created_at) AS last_at,
    found.kind
FROM (
    SELECT
        match.dialogue_id,
        min(match.kind) AS kind
    FROM (
        (
            SELECT
                dialogue.id AS dialogue_id,
                1 AS kind
            FROM unnest(%(first_keys)s::text [], %(last_keys)s::text []) AS prefix (first_key, last_key)
            INNER JOIN raw.dialogues AS dialogue
                ON
                    dialogue.partition_key OPERATOR(pg_catalog.~>=~) prefix.first_key -- noqa: LT01
                    AND dialogue.partition_key OPERATOR(pg_catalog.~<~) prefix.last_key -- noqa: LT01
            ORDER BY prefix.first_key, dialogue.partition_key
            LIMIT %(limit)s
        )
        UNION ALL
        (
            SELECT
                dialogue.id,
                1
            FROM raw.dialogues AS dialogue
            WHERE dialogue.id BETWEEN %(first_id)s::uuid AND %(last_id)s::uuid
            ORDER BY dialogue.id
            LIMIT %(limit)s
        )
        UNION ALL
        (
            SELECT
                dialogue.id,
                CASE WHEN lower(dialogue.title) = lower(%(name)s) THEN 2 ELSE 3 END
            FROM raw.dialogues AS dialogue
            WHERE dialogue.title ILIKE %(title)s
            ORDER BY
                lower(dialogue.title) <> lower(%(name)s) ASC,
                coalesce(dialogue.source_updated_at, dialogue.source_created_at) DESC NULLS LAST,
                dialogue.partition_key ASC
            LIMIT %(limit)s
        )
    ) AS match
    GROUP BY match.dialogue_id
) AS found
INNER JOIN raw.dialogues AS dialogue
    ON found.dialogue_id = dialogue.id
ORDER BY
    found.kind ASC,
    CASE WHEN found.kind > 1 THEN coalesce(dialogue.source_updated_at, dialogue.source_created_at) END DESC NULLS LAST,
    dialogue.partition_key ASC
LIMIT %(limit)s;
