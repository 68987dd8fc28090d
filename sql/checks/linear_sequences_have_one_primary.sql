-- Dialogues with live messages that have no primary sequence or several, and sequences of dialogues without any.
SELECT
    dialogue.dialogue_id::text AS dialogue_id,
    dialogue.dialogue_id::text AS entity_id,
    format('%%s primary sequences, %%s in all', dialogue.primaries, dialogue.sequences) AS problem
FROM (
    SELECT
        checked.dialogue_id,
        count(sequence.id) FILTER (WHERE sequence.is_primary) AS primaries,
        count(sequence.id) AS sequences,
        EXISTS (
            SELECT 1
            FROM raw.messages AS message
            WHERE
                message.dialogue_id = checked.dialogue_id
                AND message.deleted_at IS NULL
        ) AS has_messages
    FROM checked
    LEFT JOIN derived.linear_sequences AS sequence
        ON checked.dialogue_id = sequence.dialogue_id
    GROUP BY checked.dialogue_id
) AS dialogue
WHERE
    dialogue.primaries <> dialogue.has_messages::integer
    OR (dialogue.sequences > 0) <> dialogue.has_messages;
