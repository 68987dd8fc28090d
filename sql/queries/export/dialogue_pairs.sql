-- The question-answer pairs of some dialogues, with the message of the answer and its model.
SELECT
    pair.pair_id,
    pair.dialogue_id::text AS dialogue_id,
    pair.pair_type,
    pair.question,
    pair.answer,
    pair.answer_rule,
    pair.is_error,
    pair.workspace_id,
    pair.session_id,
    message.id::text AS answer_message_id,
    message.model,
    message.created_at AS answered_at
FROM derived.qa_pairs AS pair
INNER JOIN raw.messages AS message
    ON
        pair.dialogue_id = message.dialogue_id
        AND pair.end_sequence_number = message.sequence_number
-- Of messages too: else all of them may be read for each batch.
WHERE
    pair.dialogue_id = ANY('{dialogue_ids}'::uuid [])
    AND message.dialogue_id = ANY('{dialogue_ids}'::uuid [])
ORDER BY pair.dialogue_id, pair.start_sequence_number, pair.end_sequence_number, pair.pair_id;
