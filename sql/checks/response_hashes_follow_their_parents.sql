-- Responses whose path hash does not follow from their own prompt and the response before them, that are no live
-- assistant message, or whose context is not that of the message.
SELECT
    response.dialogue_id::text AS dialogue_id,
    response.response_message_id::text AS entity_id,
    CASE
        WHEN message.deleted_at IS NOT NULL OR message.role <> 'assistant' THEN 'not a live assistant message'
        WHEN response.parent_response_id IS NOT NULL AND parent.response_message_id IS NULL
            THEN 'the response before it is not there'
        WHEN (context.context_hash = response.context_hash) IS NOT TRUE THEN 'context is not that of the message'
        ELSE 'path hash is not that of the prompts'
    END AS problem
FROM checked
INNER JOIN derived.response_hashes AS response
    ON checked.dialogue_id = response.dialogue_id
INNER JOIN raw.messages AS message
    ON
        response.response_message_id = message.id
        AND response.dialogue_id = message.dialogue_id
LEFT JOIN derived.response_hashes AS parent
    ON
        response.parent_response_id = parent.response_message_id
        AND response.dialogue_id = parent.dialogue_id
LEFT JOIN derived.message_contexts AS context
    ON
        response.response_message_id = context.message_id
        AND response.dialogue_id = context.dialogue_id
WHERE
    message.deleted_at IS NOT NULL
    OR message.role <> 'assistant'
    OR (response.parent_response_id IS NOT NULL AND parent.response_message_id IS NULL)
    OR (context.context_hash = response.context_hash) IS NOT TRUE
    OR response.path_hash <> CASE
        WHEN response.parent_response_id IS NULL THEN response.prompt_hash
        ELSE encode(sha256(convert_to(parent.path_hash || ':' || response.prompt_hash, 'UTF8')), 'hex')
    END;
