-- What the source says of some dialogues beside their content, where it differs from what is stored. What was built of
-- a dialogue that is in another workspace now is stale. What started a subagent is never another one; a file that is
-- elsewhere than usual may not say it.
WITH incoming AS (
    SELECT
        given.id,
        given.source_json::jsonb AS source_json,
        given.custom_gpt_id,
        given.project_id,
        given.source_parent_id
    FROM
        unnest(
            %(id)s::uuid [],
            %(source_json)s::text [],
            %(custom_gpt_id)s::text [],
            %(project_id)s::text [],
            %(source_parent_id)s::text []
        ) AS given (id, source_json, custom_gpt_id, project_id, source_parent_id)
),

moved AS (
    SELECT dialogue.id
    FROM raw.dialogues AS dialogue
    INNER JOIN incoming ON dialogue.id = incoming.id
    WHERE
        coalesce(dialogue.project_id, dialogue.custom_gpt_id)
        IS DISTINCT FROM coalesce(incoming.project_id, incoming.custom_gpt_id)
),

purged AS (
    DELETE FROM derived.build_state AS state
    USING moved
    WHERE state.dialogue_id = moved.id
),

purged_errors AS (
    DELETE FROM derived.build_errors AS build_error
    USING moved
    WHERE build_error.dialogue_id = moved.id
)

UPDATE raw.dialogues AS dialogue
SET
    source_json = incoming.source_json,
    custom_gpt_id = incoming.custom_gpt_id,
    project_id = incoming.project_id,
    source_parent_id = coalesce(incoming.source_parent_id, dialogue.source_parent_id)
FROM incoming
WHERE
    dialogue.id = incoming.id
    AND (
        dialogue.source_json IS DISTINCT FROM incoming.source_json
        OR dialogue.custom_gpt_id IS DISTINCT FROM incoming.custom_gpt_id
        OR dialogue.project_id IS DISTINCT FROM incoming.project_id
        OR dialogue.source_parent_id IS DISTINCT FROM coalesce(incoming.source_parent_id, dialogue.source_parent_id)
    )
RETURNING
    dialogue.id::text AS id,
    dialogue.source_parent_id IS NOT NULL AS is_subagent;
