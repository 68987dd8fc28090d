-- The newest dialogues whose titles are like a pattern.
SELECT
    dialogue.partition_key,
    dialogue.title
FROM raw.dialogues AS dialogue
WHERE dialogue.title ILIKE %(title)s
ORDER BY coalesce(dialogue.source_updated_at, dialogue.source_created_at) DESC NULLS LAST, dialogue.partition_key ASC
LIMIT %(count)s;
