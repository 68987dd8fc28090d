-- What a person knows dialogues by.
SELECT
    dialogue.id::text AS dialogue_id,
    dialogue.title,
    (
        SELECT prompt.first_prompt
        FROM derived.first_prompts AS prompt
        WHERE prompt.dialogue_id = dialogue.id
    ) AS first_prompt,
    dialogue.source,
    dialogue.source_id,
    dialogue.source_parent_id,
    dialogue.source_created_at
FROM raw.dialogues AS dialogue
WHERE dialogue.id = ANY(%(ids)s::uuid []);
