-- Dialogues of which an export was read by an older reader than the present ones, by source, and by the import that
-- brought it; the row of a source as a whole has no path. A file that the present reader has read again is left out: it
-- brings nothing more, though its dialogue may be stored in a vintage that this reader does not give it.
WITH reader AS (
    SELECT
        given.source,
        given.version
    FROM unnest(%(sources)s::text [], %(versions)s::integer []) AS given (source, version)
)

SELECT
    dialogue.source,
    import.path,
    coalesce(import.is_partial, FALSE) AS is_partial,
    count(DISTINCT dialogue.id) AS dialogues,
    grouping(import.path) = 1 AS is_total
FROM raw.dialogue_vintages AS stored
INNER JOIN raw.dialogues AS dialogue ON stored.dialogue_id = dialogue.id
INNER JOIN reader ON dialogue.source = reader.source
LEFT JOIN raw.imports AS import ON stored.import_id = import.id
WHERE
    coalesce(stored.reader_version, 0) < reader.version
    AND NOT EXISTS (
        SELECT
        FROM raw.imports AS again
        WHERE
            again.path = import.path
            AND NOT import.is_partial
            AND NOT again.is_partial
            AND again.status = 'done'
            AND again.source = dialogue.source
            AND again.reader_version >= reader.version
            AND again.started_at > import.started_at
    )
GROUP BY GROUPING SETS ((dialogue.source), (dialogue.source, import.path, import.is_partial))
ORDER BY dialogue.source ASC, is_total DESC, dialogues DESC, import.path ASC, is_partial ASC;
