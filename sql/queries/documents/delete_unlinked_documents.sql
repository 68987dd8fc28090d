-- Documents found as attachments of messages that are gone, locked in the order in which everybody locks them.
WITH unlinked AS MATERIALIZED (
    SELECT document.id
    FROM raw.documents AS document
    WHERE
        document.origin = 'attachment'
        AND NOT EXISTS (SELECT FROM raw.document_attachments AS link WHERE link.document_id = document.id)
    ORDER BY document.id
    FOR UPDATE OF document
)

DELETE FROM raw.documents AS document
USING unlinked
WHERE document.id = unlinked.id
RETURNING document.sha256;
