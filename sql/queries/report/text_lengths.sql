-- Prompts and responses per class of their words; the classes begin at the given bounds.
-- A prompt with several responses is counted once.
WITH prompt AS (
    SELECT DISTINCT ON (pair.prompt_message_id) content.prompt_word_count AS words
    FROM derived.prompt_responses AS pair
    INNER JOIN derived.prompt_response_content AS content ON pair.id = content.prompt_response_id
    WHERE content.prompt_word_count IS NOT NULL
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
    FROM derived.prompt_response_content AS content
    WHERE content.response_word_count IS NOT NULL
)

SELECT
    text.series,
    width_bucket(text.words, %(bounds)s::integer []) AS label,
    count(*) AS value
FROM text
GROUP BY text.series, width_bucket(text.words, %(bounds)s::integer [])
ORDER BY text.series, label;
