-- The dialogue that started a subagent, if it is one, and the first dialogues of subagents that it started itself, with
-- how many there are. Of a parent that the archive does not have only its id in the source is known.
SELECT
    'parent' AS relation,
    own.source_parent_id AS source_id,
    session.partition_key,
    session.title,
    (
        SELECT prompt.first_prompt
        FROM derived.first_prompts AS prompt
        WHERE prompt.dialogue_id = session.id
    ) AS first_prompt,
    1::bigint AS count
FROM raw.dialogues AS own
LEFT JOIN raw.dialogue_links AS link
    ON
        own.id = link.dialogue_id
        AND link.kind = 'subagent'
LEFT JOIN raw.dialogues AS session ON link.original_id = session.id
WHERE own.id = %(id)s::uuid AND own.source_parent_id IS NOT NULL
UNION ALL
SELECT
    'subagent' AS relation,
    started.source_id,
    started.partition_key,
    started.title,
    (
        SELECT prompt.first_prompt
        FROM derived.first_prompts AS prompt
        WHERE prompt.dialogue_id = started.id
    ) AS first_prompt,
    started.count
FROM (
    SELECT
        agent.id,
        agent.source_id,
        agent.partition_key,
        agent.title,
        count(*) OVER () AS count
    FROM raw.dialogue_links AS link
    INNER JOIN raw.dialogues AS agent ON link.dialogue_id = agent.id
    WHERE link.original_id = %(id)s::uuid AND link.kind = 'subagent'
    ORDER BY agent.source_created_at ASC NULLS LAST, agent.partition_key ASC
    LIMIT %(limit)s
) AS started;
