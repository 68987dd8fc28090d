-- Tokens of the chunks of questions and answers per language, of which those without a configuration of PostgreSQL are
-- one; what chunks overlap in is counted twice. A pair that a dialogue has copied from its original, to the end of its
-- answer, is counted there.
WITH copied AS (
    SELECT
        message.dialogue_id,
        message.sequence_number
    FROM derived.copied_messages AS copy
    INNER JOIN raw.messages AS message
        ON
            copy.message_id = message.id
            AND copy.dialogue_id = message.dialogue_id
)

SELECT
    chunk.side AS series,
    CASE WHEN chunk.language = 'simple'::regconfig THEN 'other or unknown' ELSE chunk.language::text END AS label,
    sum(chunk.token_count)::bigint AS value
FROM derived.qa_chunks AS chunk
INNER JOIN derived.qa_pairs AS pair
    ON
        chunk.pair_id = pair.pair_id
        AND chunk.dialogue_id = pair.dialogue_id
WHERE
    NOT EXISTS (
        SELECT
        FROM copied
        WHERE
            copied.dialogue_id = pair.dialogue_id
            AND copied.sequence_number = pair.end_sequence_number
    )
GROUP BY chunk.side, chunk.language
ORDER BY series, label;
