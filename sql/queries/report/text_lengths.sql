-- Prompts and responses per class of their words; the classes begin at the given bounds.
-- A prompt with several responses is counted once, and what a dialogue has copied from its original is counted there.
WITH prompt AS (
    SELECT DISTINCT ON (pair.prompt_message_id) content.prompt_word_count AS words
    FROM derived.prompt_responses AS pair
    INNER JOIN derived.prompt_response_content AS content
        ON
            pair.id = content.prompt_response_id
            AND pair.dialogue_id = content.dialogue_id
    WHERE
        content.prompt_word_count IS NOT NULL
        AND NOT EXISTS (
            SELECT
            FROM derived.copied_messages AS copied
            WHERE copied.message_id = pair.prompt_message_id
        )
),

text AS (
    SELECT
        'prompts' AS series,
        prompt.words
    FROM prompt
    UNION ALL
    SELECT
        'responses' AS series,
        content.response_word_count AS words
    FROM derived.prompt_responses AS pair
    INNER JOIN derived.prompt_response_content AS content
        ON
            pair.id = content.prompt_response_id
            AND pair.dialogue_id = content.dialogue_id
    WHERE
        content.response_word_count IS NOT NULL
        AND NOT EXISTS (
            SELECT
            FROM derived.copied_messages AS copied
            WHERE copied.message_id = pair.response_message_id
        )
)

SELECT
    text.series,
    width_bucket(text.words, %(bounds)s::integer []) AS label,
    count(*) AS value
FROM text
GROUP BY text.series, width_bucket(text.words, %(bounds)s::integer [])
ORDER BY text.series, label;
