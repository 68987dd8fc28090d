-- A dialogue whose messages are about to change: nobody else changes them until the transaction ends.
SELECT
    dialogue.title,
    dialogue.fingerprint,
    active.source_id AS active_source_id
FROM raw.dialogues AS dialogue
LEFT JOIN raw.messages AS active
    ON
        dialogue.active_message_id = active.id
        AND dialogue.id = active.dialogue_id
WHERE dialogue.id = %(id)s
FOR UPDATE OF dialogue;
