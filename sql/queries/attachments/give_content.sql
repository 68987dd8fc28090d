-- A content is that of the files with some ids. Of several contents the largest stays, of equally large ones the one
-- with the least hash: in whichever order exports come. Links to documents made of what gives way go with it.
WITH given AS (
    UPDATE raw.attached_files AS file
    SET
        sha256 = %(sha256)s,
        found_at = %(found_at)s,
        file_name = coalesce(file.file_name, %(file_name)s),
        looked_in = NULL,
        looked_at = NULL
    FROM raw.attached_files AS before
    LEFT JOIN raw.attachment_contents AS known
        ON before.sha256 = known.sha256
    WHERE
        file.file_id = ANY(%(file_ids)s::text [])
        AND before.message_id = file.message_id
        AND before.pointer = file.pointer
        AND (
            known.sha256 IS NULL
            OR (-known.size_bytes, known.sha256) > (-%(size_bytes)s::bigint, %(sha256)s)
        )
    RETURNING file.message_id, known.sha256
)

DELETE FROM raw.document_attachments AS link
USING given, raw.documents AS document
WHERE
    document.sha256 = given.sha256
    AND link.document_id = document.id
    AND link.message_id = given.message_id;
