-- Pairs whose question is not that of a live message with the stored number, or whose answer's message is not there.
SELECT
    pair.dialogue_id::text AS dialogue_id,
    pair.pair_id AS entity_id,
    CASE
        WHEN question.deleted_at IS NOT NULL THEN 'message of the question is deleted'
        WHEN answer.id IS NULL THEN 'no live message has the end number'
        ELSE 'start number is not that of the message'
    END AS problem
FROM checked
INNER JOIN derived.qa_pairs AS pair
    ON checked.dialogue_id = pair.dialogue_id
INNER JOIN raw.messages AS question
    ON
        pair.source_message_id = question.id
        AND pair.dialogue_id = question.dialogue_id
LEFT JOIN raw.messages AS answer
    ON
        pair.dialogue_id = answer.dialogue_id
        AND pair.end_sequence_number = answer.sequence_number
        AND answer.deleted_at IS NULL
WHERE
    question.deleted_at IS NOT NULL
    OR answer.id IS NULL
    OR question.dialogue_id <> pair.dialogue_id
    OR question.sequence_number <> pair.start_sequence_number;
