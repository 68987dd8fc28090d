-- The sources that a dialogue is from.
SELECT source.id AS name
FROM raw.sources AS source
WHERE
    EXISTS (
        SELECT FROM raw.dialogues AS dialogue
        WHERE dialogue.source = source.id
    )
ORDER BY source.id;
