-- The dialogues of an export, in the order of their ids; none that is never to be exported.
SELECT
    dialogue.id::text AS dialogue_id,
    dialogue.partition_key,
    dialogue.source,
    dialogue.title,
    dialogue.source_created_at AS created_at,
    dialogue.source_updated_at AS updated_at,
    dialogue.active_message_id::text AS active_message_id,
    dialogue.message_count,
    (
        SELECT link.original_id::text
        FROM raw.dialogue_links AS link
        WHERE
            link.dialogue_id = dialogue.id
            AND link.kind = 'subagent'
    ) AS parent_dialogue_id
FROM raw.dialogues AS dialogue
WHERE
    (%(sources)s::text [] IS NULL OR dialogue.source = ANY(%(sources)s::text []))
    AND (%(dialogue_ids)s::uuid [] IS NULL OR dialogue.id = ANY(%(dialogue_ids)s::uuid []))
    AND (%(since)s::timestamptz IS NULL OR dialogue.source_created_at >= %(since)s::timestamptz)
    AND (%(until)s::timestamptz IS NULL OR dialogue.source_created_at < %(until)s::timestamptz)
    AND (%(title)s::text IS NULL OR dialogue.title ILIKE %(title)s::text)
    AND (
        %(models)s::text [] IS NULL
        OR EXISTS (
            SELECT 1
            FROM raw.messages AS message
            WHERE
                message.dialogue_id = dialogue.id
                AND message.model = ANY(%(models)s::text [])
                AND message.deleted_at IS NULL
        )
    )
    AND (
        %(tags)s::text [] IS NULL
        OR EXISTS (
            SELECT 1
            FROM annotations.annotations AS annotation
            WHERE
                annotation.dialogue_id = dialogue.id
                AND annotation.kind = 'tag'
                AND annotation.text = ANY(%(tags)s::text [])
        )
    )
    AND NOT EXISTS (
        SELECT 1
        FROM annotations.annotations AS annotation
        WHERE
            annotation.dialogue_id = dialogue.id
            AND annotation.kind = 'never_export'
    )
ORDER BY dialogue.id;
