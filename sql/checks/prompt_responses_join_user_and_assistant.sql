-- Pairs whose messages are deleted, of another dialogue, or not a user's and an assistant's.
SELECT
    pair.dialogue_id::text AS dialogue_id,
    pair.id::text AS entity_id,
    CASE
        WHEN prompt.deleted_at IS NOT NULL OR response.deleted_at IS NOT NULL THEN 'a message is deleted'
        WHEN prompt.role <> 'user' OR response.role <> 'assistant'
            THEN format('roles are %%s and %%s', prompt.role, response.role)
        ELSE 'a message is of another dialogue'
    END AS problem
FROM checked
INNER JOIN derived.prompt_responses AS pair
    ON checked.dialogue_id = pair.dialogue_id
INNER JOIN raw.messages AS prompt
    ON
        pair.prompt_message_id = prompt.id
        AND pair.dialogue_id = prompt.dialogue_id
INNER JOIN raw.messages AS response
    ON
        pair.response_message_id = response.id
        AND pair.dialogue_id = response.dialogue_id
WHERE
    prompt.deleted_at IS NOT NULL
    OR response.deleted_at IS NOT NULL
    OR prompt.role <> 'user'
    OR response.role <> 'assistant'
    OR prompt.dialogue_id <> pair.dialogue_id
    OR response.dialogue_id <> pair.dialogue_id;
