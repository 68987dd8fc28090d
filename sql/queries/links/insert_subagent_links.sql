-- Links of subagents with the dialogues that started them, as far as these are stored. One that begins with messages of
-- the dialogue that started it has one link with it.
INSERT INTO raw.dialogue_links AS link (dialogue_id, original_id, shared_messages, kind)
SELECT
    agent.id AS dialogue_id,
    session.id AS original_id,
    0 AS shared_messages,
    'subagent' AS kind
FROM raw.dialogues AS agent
INNER JOIN raw.dialogues AS session
    ON
        agent.source = session.source
        AND agent.source_parent_id = session.source_id
WHERE agent.id = ANY(%(ids)s::uuid []) AND session.id <> agent.id
ON CONFLICT (dialogue_id, original_id) DO UPDATE SET kind = excluded.kind;
