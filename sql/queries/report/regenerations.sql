-- Prompts per model that answered first, and how many of them were answered again. A prompt that a dialogue has copied
-- from its original is counted there.
WITH first_answer AS (
    SELECT DISTINCT ON (pair.prompt_message_id)
        response.model,
        count(*) OVER (PARTITION BY pair.prompt_message_id) > 1 AS is_regenerated
    FROM derived.prompt_responses AS pair
    INNER JOIN raw.messages AS response
        ON
            pair.response_message_id = response.id
            AND pair.dialogue_id = response.dialogue_id
    WHERE
        response.parent_id = pair.prompt_message_id
        AND NOT EXISTS (
            SELECT
            FROM derived.copied_messages AS copied
            WHERE copied.message_id = pair.prompt_message_id
        )
    ORDER BY pair.prompt_message_id ASC, pair.response_position ASC
)

SELECT
    CASE WHEN first_answer.is_regenerated THEN 'regenerated' ELSE 'answered once' END AS series,
    coalesce(first_answer.model, 'unknown') AS label,
    count(*) AS value
FROM first_answer
GROUP BY first_answer.is_regenerated, first_answer.model
ORDER BY series, label;
