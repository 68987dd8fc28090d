-- What a reader sees above a dialogue.
SELECT
    dialogue.id::text AS dialogue_id,
    dialogue.partition_key,
    dialogue.source,
    dialogue.title,
    dialogue.source_created_at AS created_at,
    dialogue.source_updated_at AS updated_at,
    dialogue.message_count,
    dialogue.active_message_id::text AS active_message_id,
    (
        SELECT link.original_id::text
        FROM raw.dialogue_links AS link
        WHERE
            link.dialogue_id = dialogue.id
            AND link.kind = 'subagent'
    ) AS parent_dialogue_id,
    (
        SELECT prompt.first_prompt
        FROM derived.first_prompts AS prompt
        WHERE prompt.dialogue_id = dialogue.id
    ) AS first_prompt
FROM raw.dialogues AS dialogue
WHERE
    dialogue.partition_key = %(name)s
    OR dialogue.id = %(id)s::uuid
ORDER BY dialogue.partition_key = %(name)s DESC
LIMIT 1;
