-- The newest dialogues whose titles are like a pattern, of which the filters let something through.
SELECT
    dialogue.partition_key,
    dialogue.title
FROM raw.dialogues AS dialogue
WHERE
    dialogue.title ILIKE %(words)s
    AND (
        %(is_anything_allowed)s
        OR EXISTS (
            SELECT
            FROM derived.searchable_chunks AS chunk
            WHERE chunk.doc_id = dialogue.id AND {conditions}
        )
    )
ORDER BY coalesce(dialogue.source_updated_at, dialogue.source_created_at) DESC NULLS LAST, dialogue.partition_key ASC
LIMIT %(count)s;
