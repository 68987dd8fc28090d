-- What live messages of some dialogues do not point to any more, with the links to documents that were made of it.
WITH gone AS (
    DELETE FROM raw.attached_files AS file
    USING raw.messages AS message
    WHERE
        file.dialogue_id = ANY(%(all_dialogue_ids)s::uuid [])
        AND message.id = file.message_id
        AND message.dialogue_id = file.dialogue_id
        AND message.deleted_at IS NULL
        AND NOT EXISTS (
            SELECT
            FROM unnest(%(message_ids)s::uuid [], %(pointers)s::text []) AS kept (message_id, pointer)
            WHERE kept.message_id = file.message_id AND kept.pointer = file.pointer
        )
    RETURNING file.message_id, file.sha256
)

DELETE FROM raw.document_attachments AS link
USING gone, raw.documents AS document
WHERE
    document.sha256 = gone.sha256
    AND link.document_id = document.id
    AND link.message_id = gone.message_id;
