-- Dialogues with live messages that have no primary sequence or several, and sequences of dialogues without any.
WITH with_messages AS (
    SELECT DISTINCT checked.dialogue_id
    FROM checked
    INNER JOIN raw.messages AS message
        ON checked.dialogue_id = message.dialogue_id
    WHERE message.deleted_at IS NULL
),

counted AS (
    SELECT
        checked.dialogue_id,
        count(linear_sequence.id) AS sequence_count,
        count(linear_sequence.id) FILTER (WHERE linear_sequence.is_primary) AS primary_count
    FROM checked
    LEFT JOIN derived.linear_sequences AS linear_sequence
        ON checked.dialogue_id = linear_sequence.dialogue_id
    GROUP BY checked.dialogue_id
)

SELECT
    counted.dialogue_id::text AS dialogue_id,
    counted.dialogue_id::text AS entity_id,
    format('%%s primary sequences, %%s in all', counted.primary_count, counted.sequence_count) AS problem
FROM counted
LEFT JOIN with_messages
    ON counted.dialogue_id = with_messages.dialogue_id
WHERE
    (with_messages.dialogue_id IS NOT NULL AND counted.primary_count <> 1)
    OR (with_messages.dialogue_id IS NULL AND counted.sequence_count > 0);
