-- The workspaces that dialogues belong to, those of most dialogues first.
SELECT coalesce(dialogue.project_id, dialogue.custom_gpt_id) AS name
FROM raw.dialogues AS dialogue
WHERE coalesce(dialogue.project_id, dialogue.custom_gpt_id) IS NOT NULL
GROUP BY coalesce(dialogue.project_id, dialogue.custom_gpt_id)
ORDER BY count(*) DESC, coalesce(dialogue.project_id, dialogue.custom_gpt_id) ASC;
