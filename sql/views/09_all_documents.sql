-- Everything that has pages which can be found and cited: dialogues and documents. In this view and the next two each
-- part is one table without conditions: so PostgreSQL uses the tables' indexes through them.
CREATE OR REPLACE VIEW derived.all_documents AS
SELECT
    dialogue.id AS doc_id,
    dialogue.source,
    CASE WHEN dialogue.title ~ '\S' THEN dialogue.title ELSE dialogue.partition_key END AS filename,
    CASE WHEN dialogue.title ~ '\S' THEN dialogue.title ELSE dialogue.partition_key END AS heading,
    'md'::text AS extension,
    dialogue.source || '/' || dialogue.partition_key AS source_path,
    dialogue.source_created_at AS created_at,
    dialogue.imported_at AS added_at
FROM raw.dialogues AS dialogue
UNION ALL
SELECT
    document.id AS doc_id,
    'document'::text AS source,
    document.file_name AS filename,
    NULL::text AS heading,
    document.extension,
    document.source_path,
    NULL::timestamptz AS created_at,
    document.added_at
FROM raw.documents AS document;
