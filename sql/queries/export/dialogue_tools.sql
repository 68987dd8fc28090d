-- The tools that the sources of some dialogues define, as JSON text.
SELECT
    tools.dialogue_id,
    tools.definitions
FROM (
    SELECT
        dialogue.id::text AS dialogue_id,
        coalesce(
            nullif(dialogue.source_json -> 'tools', 'null'),
            nullif(dialogue.source_json -> 'functions', 'null'),
            dialogue.source_json #> '{agent,tool_definitions}'
        )::text AS definitions
    FROM raw.dialogues AS dialogue
    WHERE dialogue.id = ANY('{dialogue_ids}'::uuid [])
) AS tools
WHERE tools.definitions IS NOT NULL;
