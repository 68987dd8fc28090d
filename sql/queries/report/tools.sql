-- Calls per tool: with an error, with another result, without any. A result belongs to the last call with its id before
-- it: some sources use an id again in one dialogue.
WITH part AS (
    SELECT
        content_part.dialogue_id,
        content_part.part_type,
        content_part.tool_name,
        content_part.tool_use_id,
        content_part.is_error,
        greatest(1, count(*) FILTER (WHERE content_part.part_type = 'tool_use') OVER of_id) AS call_number
    FROM raw.content_parts AS content_part
    INNER JOIN raw.messages AS message ON content_part.message_id = message.id
    WHERE content_part.part_type IN ('tool_use', 'tool_result') AND message.deleted_at IS NULL
    WINDOW
        of_id AS (
            PARTITION BY content_part.dialogue_id, content_part.tool_use_id
            ORDER BY message.sequence_number, content_part.sequence
        )
),

result AS (
    SELECT
        part.dialogue_id,
        part.tool_use_id,
        part.call_number,
        bool_or(coalesce(part.is_error, FALSE)) AS is_error
    FROM part
    WHERE part.part_type = 'tool_result' AND part.tool_use_id IS NOT NULL
    GROUP BY part.dialogue_id, part.tool_use_id, part.call_number
)

SELECT
    CASE result.is_error WHEN TRUE THEN 'error' WHEN FALSE THEN 'result' ELSE 'no result' END AS series,
    coalesce(part.tool_name, 'unknown') AS label,
    count(*) AS value
FROM part
LEFT JOIN result
    ON
        part.dialogue_id = result.dialogue_id
        AND part.tool_use_id = result.tool_use_id
        AND part.call_number = result.call_number
WHERE part.part_type = 'tool_use'
GROUP BY result.is_error, part.tool_name
ORDER BY series, label;
