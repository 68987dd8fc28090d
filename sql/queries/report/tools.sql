-- Calls per tool: with an error, with another result, without any. A result belongs to the nearest call with its id
-- before it on its path: branches have calls of one id, and some sources use an id again (many times in long dialogues
-- without branches, where calls are counted so that none is compared with all). What a dialogue has copied from its
-- original is counted there.
WITH part AS (
    SELECT
        content_part.id,
        content_part.dialogue_id,
        content_part.part_type,
        content_part.tool_name,
        content_part.tool_use_id,
        content_part.is_error,
        content_part.sequence,
        content_part.message_id,
        place.tree_left,
        place.tree_right,
        CASE
            WHEN tree.is_linear THEN count(*) FILTER (WHERE content_part.part_type = 'tool_use') OVER of_id
            ELSE 0
        END AS call_number
    FROM raw.content_parts AS content_part
    INNER JOIN raw.messages AS message
        ON
            content_part.message_id = message.id
            AND content_part.dialogue_id = message.dialogue_id
    LEFT JOIN derived.message_paths AS place
        ON
            message.id = place.message_id
            AND message.dialogue_id = place.dialogue_id
    LEFT JOIN derived.dialogue_trees AS tree ON message.dialogue_id = tree.dialogue_id
    WHERE content_part.part_type IN ('tool_use', 'tool_result') AND message.deleted_at IS NULL
    WINDOW
        of_id AS (
            PARTITION BY content_part.dialogue_id, content_part.tool_use_id
            ORDER BY place.tree_left, content_part.sequence
        )
),

result AS (
    SELECT DISTINCT ON (answer.id)
        call.id AS call_id,
        coalesce(answer.is_error, FALSE) AS is_error
    FROM part AS answer
    INNER JOIN part AS call
        ON
            answer.dialogue_id = call.dialogue_id
            AND answer.tool_use_id = call.tool_use_id
            AND answer.call_number = call.call_number
            AND call.part_type = 'tool_use'
            AND (
                (answer.message_id = call.message_id AND call.sequence < answer.sequence)
                OR (answer.tree_left > call.tree_left AND answer.tree_left <= call.tree_right)
            )
    WHERE answer.part_type = 'tool_result'
    ORDER BY answer.id ASC, call.tree_left DESC, call.sequence DESC
),

outcome AS (
    SELECT
        result.call_id,
        bool_or(result.is_error) AS is_error
    FROM result
    GROUP BY result.call_id
)

SELECT
    CASE outcome.is_error WHEN TRUE THEN 'error' WHEN FALSE THEN 'result' ELSE 'no result' END AS series,
    coalesce(part.tool_name, 'unknown') AS label,
    count(*) AS value
FROM part
LEFT JOIN outcome ON part.id = outcome.call_id
WHERE
    part.part_type = 'tool_use'
    AND NOT EXISTS (
        SELECT
        FROM derived.copied_messages AS copied
        WHERE copied.message_id = part.message_id
    )
GROUP BY outcome.is_error, part.tool_name
ORDER BY series, label;
