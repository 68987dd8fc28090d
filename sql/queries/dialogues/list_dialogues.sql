-- Dialogues that meet all conditions, in the asked order, with their size, branches, models and tags. What is shown of
-- a dialogue is looked up for those within the limit only. Times of a dialogue are when it began, or when it was last
-- changed, else began, else was imported ("shown"); a place, of that order only, is where the page before ended.
WITH listed AS (
    SELECT
        dialogue.id,
        dialogue.partition_key,
        dialogue.title,
        dialogue.source,
        dialogue.source_created_at,
        dialogue.source_updated_at,
        dialogue.imported_at,
        dialogue.message_count,
        dialogue.source_parent_id IS NOT NULL AS is_subagent,
        row_number() OVER (
            ORDER BY
                CASE WHEN %(sort)s = 'shown' THEN shown.shown_at END DESC NULLS LAST,
                CASE WHEN %(sort)s = 'shown' THEN dialogue.id END DESC NULLS LAST,
                CASE WHEN %(sort)s = 'date' THEN coalesce(dialogue.source_updated_at, dialogue.source_created_at) END
                DESC NULLS LAST,
                CASE WHEN %(sort)s = 'began' THEN dialogue.source_created_at END DESC NULLS LAST,
                CASE WHEN %(sort)s = 'size' THEN dialogue.message_count END DESC NULLS LAST,
                CASE
                    WHEN %(sort)s = 'branches'
                        THEN (
                            SELECT tree.leaf_count
                            FROM derived.dialogue_trees AS tree
                            WHERE tree.dialogue_id = dialogue.id
                        )
                END DESC NULLS LAST,
                CASE WHEN %(sort)s = 'source' THEN dialogue.source END ASC NULLS LAST,
                CASE WHEN %(sort)s = 'title' AND dialogue.title ~ '\S' THEN lower(dialogue.title) END ASC NULLS LAST,
                dialogue.partition_key ASC
        ) AS place
    FROM raw.dialogues AS dialogue
    CROSS JOIN
        LATERAL (
            SELECT coalesce(dialogue.source_updated_at, dialogue.source_created_at, dialogue.imported_at) AS shown_at
        ) AS shown
    CROSS JOIN
        LATERAL (
            SELECT CASE WHEN %(times)s = 'shown' THEN shown.shown_at ELSE dialogue.source_created_at END AS compared_at
        ) AS compared
    WHERE
        (%(source)s::text IS NULL OR dialogue.source = %(source)s)
        AND (%(since)s::timestamptz IS NULL OR compared.compared_at >= %(since)s)
        AND (%(until)s::timestamptz IS NULL OR compared.compared_at < %(until)s)
        AND (%(title)s::text IS NULL OR dialogue.title ILIKE %(title)s)
        AND (
            %(workspace)s::text IS NULL
            OR dialogue.project_id = %(workspace)s
            OR dialogue.custom_gpt_id = %(workspace)s
            OR (
                dialogue.project_id IS NOT NULL
                AND lower(dialogue.source_json #>> '{project,name}') = lower(%(workspace)s)
            )
        )
        -- Archived by ChatGPT or Open WebUI.
        AND (
            %(archived)s::boolean IS NULL
            OR %(archived)s = (
                coalesce(dialogue.source_json -> 'is_archived', dialogue.source_json -> 'archived', 'false') = 'true'
            )
        )
        -- Starred by Claude.ai and Grok, starred or pinned by ChatGPT, pinned by Open WebUI.
        AND (
            %(starred)s::boolean IS NULL
            OR %(starred)s = (
                coalesce(dialogue.source_json -> 'is_starred', 'false') = 'true'
                OR coalesce(dialogue.source_json #> '{conversation,starred}', 'false') = 'true'
                OR coalesce(dialogue.source_json -> 'pinned_time', 'null') <> 'null'
                OR coalesce(dialogue.source_json -> 'pinned', 'false') = 'true'
            )
        )
        AND (
            %(model)s::text IS NULL
            OR EXISTS (
                SELECT 1
                FROM raw.messages AS message
                WHERE
                    message.dialogue_id = dialogue.id
                    AND message.model = %(model)s
                    AND message.deleted_at IS NULL
            )
        )
        AND (
            %(tag)s::text IS NULL
            OR EXISTS (
                SELECT 1
                FROM annotations.annotations AS annotation
                WHERE
                    annotation.dialogue_id = dialogue.id
                    AND annotation.kind = 'tag'
                    AND annotation.text = %(tag)s
            )
        )
        AND (
            %(before_at)s::timestamptz IS NULL
            OR (shown.shown_at, dialogue.id) < (%(before_at)s, %(before_id)s::uuid)
        )
    ORDER BY place
    LIMIT %(limit)s
)

SELECT
    listed.id::text AS dialogue_id,
    listed.partition_key,
    listed.title,
    (
        SELECT prompt.first_prompt
        FROM derived.first_prompts AS prompt
        WHERE prompt.dialogue_id = listed.id
    ) AS first_prompt,
    listed.source,
    listed.source_created_at AS created_at,
    listed.source_updated_at AS updated_at,
    listed.imported_at,
    listed.is_subagent,
    listed.message_count AS messages,
    (
        SELECT count(*)
        FROM derived.messages_with_content AS message
        WHERE
            message.dialogue_id = listed.id
            AND NOT message.is_hidden
    ) AS shown_messages,
    (
        SELECT tree.leaf_count
        FROM derived.dialogue_trees AS tree
        WHERE tree.dialogue_id = listed.id
    ) AS branches,
    (
        SELECT coalesce(array_agg(DISTINCT message.model ORDER BY message.model), '{}')
        FROM raw.messages AS message
        WHERE
            message.dialogue_id = listed.id
            AND message.model IS NOT NULL
            AND message.deleted_at IS NULL
    ) AS models,
    (
        SELECT coalesce(array_agg(DISTINCT annotation.text ORDER BY annotation.text), '{}')
        FROM annotations.annotations AS annotation
        WHERE
            annotation.dialogue_id = listed.id
            AND annotation.kind = 'tag'
    ) AS tags
FROM listed
ORDER BY listed.place;
