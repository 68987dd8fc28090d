-- Links of messages to documents that were made of texts in their attachments, and whose texts they no longer have,
-- neither in an attachment nor as a kept file.
DELETE FROM raw.document_attachments AS link
USING
    raw.documents AS document,
    unnest(%(document_ids)s::uuid [], %(message_ids)s::uuid []) AS before (document_id, message_id)
WHERE
    link.document_id = before.document_id
    AND link.message_id = before.message_id
    AND document.id = link.document_id
    AND NOT EXISTS (
        SELECT
        FROM raw.attachments AS attachment
        WHERE
            attachment.message_id = link.message_id
            AND attachment.dialogue_id = link.dialogue_id
            AND encode(sha256(convert_to(attachment.extracted_text, 'UTF8')), 'hex') = document.sha256
    )
    AND NOT EXISTS (
        SELECT
        FROM raw.attached_files AS file
        WHERE
            file.message_id = link.message_id
            AND file.dialogue_id = link.dialogue_id
            AND file.sha256 = document.sha256
    );
