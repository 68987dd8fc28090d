-- Documents found as attachments of messages that are gone or deleted, locked in the order in which everybody locks
-- them. A link to a deleted message stays as long as another message keeps the document: the message may come back.
WITH unlinked AS MATERIALIZED (
    SELECT document.id
    FROM raw.documents AS document
    WHERE
        document.origin = 'attachment'
        AND NOT EXISTS (
            SELECT
            FROM raw.document_attachments AS link
            INNER JOIN raw.messages AS message
                ON
                    link.message_id = message.id
                    AND link.dialogue_id = message.dialogue_id
            WHERE link.document_id = document.id AND message.deleted_at IS NULL
        )
    ORDER BY document.id
    FOR UPDATE OF document
)

DELETE FROM raw.documents AS document
USING unlinked
WHERE document.id = unlinked.id
RETURNING document.sha256;
