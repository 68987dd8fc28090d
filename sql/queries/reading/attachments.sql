-- The files that came with the messages of some dialogues, or with some messages, and the document that was made of
-- each, if one was; the planner reduces the first CASE to a column, the other too where texts are whole (limit 0).
SELECT
    attachment.message_id::text AS message_id,
    attachment.sequence,
    attachment.file_name,
    attachment.mime_type,
    attachment.size_bytes,
    attachment.uri,
    CASE
        WHEN '{limit}'::integer = 0 THEN attachment.extracted_text
        ELSE left(attachment.extracted_text, '{limit}'::integer)
    END AS text,
    document.id::text AS document_id,
    coalesce(attachment.source_id, attachment.uri) AS pointer
FROM raw.attachments AS attachment
LEFT JOIN raw.documents AS document
    ON attachment.content_sha256 = document.sha256
WHERE
    CASE WHEN '{scope}' = 'dialogues' THEN attachment.dialogue_id ELSE attachment.message_id END
    = ANY('{ids}'::uuid []);
