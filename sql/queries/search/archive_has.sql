-- Whether anything was imported, and whether anything of it can be searched.
SELECT
    EXISTS (SELECT FROM raw.dialogues) OR EXISTS (SELECT FROM raw.documents) AS has_content,
    EXISTS (SELECT FROM derived.qa_chunks)
    OR EXISTS (SELECT FROM derived.message_chunks)
    OR EXISTS (SELECT FROM derived.document_chunks) AS has_chunks;
