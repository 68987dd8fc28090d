-- The tools that the sources of some dialogues define, as JSON text: a row for each list of them.
SELECT
    dialogue.id::text AS dialogue_id,
    tools.definitions::text AS definitions
FROM raw.dialogues AS dialogue
CROSS JOIN
    LATERAL (
        VALUES
        (1, dialogue.source_json -> 'tools'),
        (2, dialogue.source_json -> 'functions'),
        (3, dialogue.source_json #> '{agent,tool_definitions}')
    ) AS tools (place, definitions)
WHERE
    dialogue.id = ANY('{dialogue_ids}'::uuid [])
    AND jsonb_typeof(tools.definitions) IN ('array', 'string')
ORDER BY dialogue.id, tools.place;
