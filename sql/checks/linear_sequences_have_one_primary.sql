-- Dialogues with live messages that have no primary sequence or several, and sequences of dialogues without any.
WITH counted AS (
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
WHERE
    CASE
        -- Looked up per dialogue: as a join of two aggregates it may take quadratic time.
        WHEN
            EXISTS (
                SELECT FROM raw.messages AS message
                WHERE message.dialogue_id = counted.dialogue_id AND message.deleted_at IS NULL
            )
            THEN counted.primary_count <> 1
        ELSE counted.sequence_count > 0
    END;
