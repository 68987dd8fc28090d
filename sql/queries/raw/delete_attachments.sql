-- Returns the links of their messages to documents that were made of texts in them.
WITH gone AS (
    DELETE FROM raw.attachments
    WHERE dialogue_id = %(dialogue_id)s::uuid AND message_id = ANY(%(message_ids)s::uuid [])
    RETURNING message_id, dialogue_id, extracted_text
)

SELECT DISTINCT
    link.document_id::text AS document_id,
    link.message_id::text AS message_id
FROM gone
INNER JOIN raw.document_attachments AS link
    ON
        gone.message_id = link.message_id
        AND gone.dialogue_id = link.dialogue_id
INNER JOIN raw.documents AS document
    ON link.document_id = document.id
WHERE document.sha256 = encode(sha256(convert_to(gone.extracted_text, 'UTF8')), 'hex');
