-- Dialogues whose titles are like a pattern, if there is one, or have all words of a text, and of which the filters let
-- something through: the shortest titles, which have the least beside the words, and of these the newest.
SELECT
    dialogue.partition_key,
    dialogue.title
FROM raw.dialogues AS dialogue
WHERE
    (
        dialogue.title ILIKE %(pattern)s
        OR to_tsvector('simple', left(dialogue.title, 300)) @@ plainto_tsquery('simple', %(text)s)
    )
    AND (
        %(is_anything_allowed)s
        OR EXISTS (
            SELECT
            FROM derived.searchable_chunks AS chunk
            WHERE chunk.doc_id = dialogue.id AND {conditions}
        )
    )
ORDER BY
    length(dialogue.title) ASC,
    coalesce(dialogue.source_updated_at, dialogue.source_created_at) DESC NULLS LAST,
    dialogue.partition_key ASC
LIMIT %(count)s;
