-- Live messages that have something to show: a part that is no blank text, or an attachment. Those that are not hidden
-- are what readers count as the messages of a dialogue.
CREATE OR REPLACE VIEW derived.messages_with_content AS
SELECT
    message.id AS message_id,
    message.dialogue_id,
    message.is_hidden
FROM raw.messages AS message
WHERE
    message.deleted_at IS NULL
    AND (
        EXISTS (
            SELECT 1
            FROM raw.content_parts AS part
            WHERE
                part.dialogue_id = message.dialogue_id
                AND part.message_id = message.id
                AND (
                    part.part_type NOT IN ('text', 'thinking', 'code')
                    -- A long text is read to its first character that is not blank: the whole where the beginning is.
                    OR CASE
                        WHEN btrim(left(part.text_content, 16), E' \t\n\r\f\x0b') <> '' THEN TRUE
                        WHEN btrim(left(part.text_content, 1000), E' \t\n\r\f\x0b') <> '' THEN TRUE
                        ELSE btrim(part.text_content, E' \t\n\r\f\x0b') <> ''
                    END
                )
        )
        OR EXISTS (
            SELECT 1
            FROM raw.attachments AS attachment
            WHERE
                attachment.dialogue_id = message.dialogue_id
                AND attachment.message_id = message.id
        )
    );
