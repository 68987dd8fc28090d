-- The files that the messages of some dialogues, or some messages, point to, each name of a content once a message,
-- kept or missing, with all pointers to it. A pointer that the message gives no name has the name of another with its
-- id, whatever an export calls the file. One without a name is to each name of the content, and alone one of the
-- content's. The planner reduces the CASE to a column.
WITH named AS (
    SELECT
        file.message_id,
        file.file_id,
        file.sha256,
        file.pointer,
        coalesce(file.sha256, file.file_id) AS content_id,
        coalesce(
            attachment.file_name,
            min(attachment.file_name) OVER (PARTITION BY file.message_id, file.file_id),
            file.file_name
        ) AS file_name
    FROM raw.attached_files AS file
    LEFT JOIN raw.attachments AS attachment
        ON
            file.message_id = attachment.message_id
            AND file.dialogue_id = attachment.dialogue_id
            AND file.pointer = coalesce(attachment.source_id, attachment.uri)
            AND file.file_name = attachment.file_name
    WHERE
        CASE WHEN %(scope)s::text = 'dialogues' THEN file.dialogue_id ELSE file.message_id END -- noqa: RF02
        = ANY(%(ids)s::uuid [])
),

pointed AS (
    SELECT
        named.message_id,
        named.file_id,
        named.file_name,
        named.sha256,
        named.pointer,
        named.content_id,
        count(named.file_name) OVER content AS names,
        array_agg(named.pointer) FILTER (WHERE named.file_name IS NULL) OVER content AS unnamed_pointers,
        array_agg(named.pointer) OVER (
            PARTITION BY named.message_id, named.content_id, named.file_name
        ) AS named_pointers
    FROM named
    WINDOW content AS (PARTITION BY named.message_id, named.content_id)
)

SELECT DISTINCT ON (pointed.message_id, pointed.content_id, pointed.file_name)
    pointed.message_id::text AS message_id,
    pointed.file_id,
    pointed.file_name,
    pointed.sha256,
    content.size_bytes,
    content.media_type,
    CASE
        WHEN pointed.file_name IS NULL THEN pointed.unnamed_pointers
        ELSE pointed.named_pointers || coalesce(pointed.unnamed_pointers, '{}')
    END AS pointers
FROM pointed
LEFT JOIN raw.attachment_contents AS content
    ON pointed.sha256 = content.sha256
WHERE pointed.file_name IS NOT NULL OR pointed.names = 0
ORDER BY
    pointed.message_id,
    pointed.content_id,
    pointed.file_name,
    pointed.pointer;
