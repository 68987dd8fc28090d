-- The projects and custom GPTs that dialogues belong to, by name, then id; the name is known where a copy of a dialogue
-- brought it.
SELECT
    workspace.id,
    max(workspace.name) AS name
FROM raw.dialogues AS dialogue
CROSS JOIN
    LATERAL (
        VALUES
        (dialogue.project_id, nullif(dialogue.source_json #>> '{project,name}', '')),
        (dialogue.custom_gpt_id, NULL)
    ) AS workspace (id, name)
WHERE
    workspace.id IS NOT NULL
    AND (dialogue.project_id IS NOT NULL OR dialogue.custom_gpt_id IS NOT NULL)
GROUP BY workspace.id
ORDER BY
    lower(max(workspace.name)) ASC NULLS LAST,
    workspace.id ASC
LIMIT %(limit)s;
