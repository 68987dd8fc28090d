-- Contents of some types, with live messages that they came with and that are not linked to a document made of them.
-- What this version of the readers could not read is not tried again.
SELECT
    content.sha256,
    max(file.file_name) AS file_name,
    min(file.found_at) AS found_at,
    array_agg(DISTINCT file.message_id::text) AS message_ids
FROM raw.attachment_contents AS content
INNER JOIN raw.attached_files AS file
    ON content.sha256 = file.sha256
INNER JOIN raw.messages AS message
    ON
        file.message_id = message.id
        AND file.dialogue_id = message.dialogue_id
LEFT JOIN raw.documents AS document
    ON content.sha256 = document.sha256
LEFT JOIN raw.document_attachments AS link
    ON
        document.id = link.document_id
        AND file.message_id = link.message_id
WHERE
    message.deleted_at IS NULL
    AND content.media_type = ANY(%(media_types)s::text [])
    AND (
        document.id IS NULL
        OR document.reader_version < %(reader_version)s::int
        OR (document.status = 'done' AND link.message_id IS NULL)
    )
GROUP BY content.sha256
ORDER BY content.sha256;
