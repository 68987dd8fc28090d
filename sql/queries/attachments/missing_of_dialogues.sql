-- The missing files of some dialogues, each once.
SELECT
    file.file_id,
    max(file.file_name) AS file_name,
    count(*) AS messages
FROM raw.attached_files AS file
WHERE file.dialogue_id = ANY(%(dialogue_ids)s::uuid []) AND file.sha256 IS NULL
GROUP BY file.file_id
ORDER BY file.file_id;
